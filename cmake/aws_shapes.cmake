# The generated AWS shapes: INSTANTSTART_AWS_SHAPES_SOURCES, and the folder that their headers are included from,
# INSTANTSTART_AWS_SHAPES_INCLUDE. The service models come from the botocore wheel that tools/aws_shapes/requirements.txt
# pins by hash; they are fetched once into .cache, and a build without a network works as long as they are there.
set(INSTANTSTART_MODELS_DIR "" CACHE PATH "botocore's data folder; empty: .cache/models, fetched when it is missing")

find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
set(shapes_tool ${CMAKE_SOURCE_DIR}/tools/aws_shapes)
file(GLOB shapes_tool_files CONFIGURE_DEPENDS ${shapes_tool}/*.py ${shapes_tool}/*.toml)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${shapes_tool}/operations.toml
                                                               ${shapes_tool}/requirements.txt)

set(shapes_models ${INSTANTSTART_MODELS_DIR})
if(NOT shapes_models)
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${shapes_tool}/fetch_models.py --cache ${CMAKE_SOURCE_DIR}/.cache
                  OUTPUT_VARIABLE shapes_models OUTPUT_STRIP_TRAILING_WHITESPACE
                  ERROR_VARIABLE shapes_problem RESULT_VARIABLE shapes_failed)
  if(shapes_failed)
    message(FATAL_ERROR "AWS's service models can't be had: ${shapes_problem}"
                        "Set INSTANTSTART_MODELS_DIR to the data folder of the botocore release that "
                        "tools/aws_shapes/requirements.txt names, or see that pip can reach its index.")
  endif()
endif()

execute_process(COMMAND ${Python3_EXECUTABLE} -B ${shapes_tool}/generate.py --list
                OUTPUT_VARIABLE shapes_services OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "-" "_" shapes_services "${shapes_services}")
string(REPLACE "\n" ";" shapes_services "${shapes_services}")

set(INSTANTSTART_AWS_SHAPES_INCLUDE ${CMAKE_BINARY_DIR}/generated)
set(INSTANTSTART_AWS_SHAPES_SOURCES "")
set(shapes_headers "")
foreach(service ${shapes_services} services)
  list(APPEND INSTANTSTART_AWS_SHAPES_SOURCES ${INSTANTSTART_AWS_SHAPES_INCLUDE}/aws/shapes/${service}.cpp)
  list(APPEND shapes_headers ${INSTANTSTART_AWS_SHAPES_INCLUDE}/aws/shapes/${service}.h)
endforeach()
# Files that would not change keep their time, so one new operation recompiles one service.
add_custom_command(OUTPUT ${INSTANTSTART_AWS_SHAPES_SOURCES} ${shapes_headers}
                   COMMAND ${Python3_EXECUTABLE} -B ${shapes_tool}/generate.py --models ${shapes_models}
                           --output ${INSTANTSTART_AWS_SHAPES_INCLUDE}
                   DEPENDS ${shapes_tool_files}
                   COMMENT "Generating AWS shapes" VERBATIM)
add_custom_target(generate_aws_shapes DEPENDS ${INSTANTSTART_AWS_SHAPES_SOURCES} ${shapes_headers})

# Everything that includes a generated header links this room, and so waits for the headers.
function(use_aws_shapes target)
  target_include_directories(${target} PUBLIC ${INSTANTSTART_AWS_SHAPES_INCLUDE})
  add_dependencies(${target} generate_aws_shapes)
endfunction()

# Made-up services with what no listed AWS operation has, for the tests of the generator and the codec.
function(add_test_shapes name)
  set(models ${shapes_tool}/testdata/models)
  set(folder ${CMAKE_BINARY_DIR}/generated_test)
  set(sources "")
  set(headers "")
  foreach(service orchard_json orchard_xml orchard_query)
    list(APPEND sources ${folder}/aws/shapes/${service}.cpp)
    list(APPEND headers ${folder}/aws/shapes/${service}.h)
  endforeach()
  file(GLOB_RECURSE model_files CONFIGURE_DEPENDS ${models}/*.json)
  add_custom_command(OUTPUT ${sources} ${headers}
                     COMMAND ${Python3_EXECUTABLE} -B ${shapes_tool}/generate.py --without-index --models ${models}
                             --operations ${shapes_tool}/testdata/operations.toml --output ${folder}
                     DEPENDS ${shapes_tool_files} ${shapes_tool}/testdata/operations.toml ${model_files}
                     COMMENT "Generating made-up shapes" VERBATIM)
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${folder} ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC aws_shapes)
endfunction()
