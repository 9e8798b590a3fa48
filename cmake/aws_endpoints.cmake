# The generated table of AWS partitions and endpoints: AWS_ENDPOINT_SOURCES. Its data comes with the service models, so this
# is included after aws_shapes.cmake, which finds them.
set(AWS_ENDPOINT_SOURCES ${INSTANTSTART_AWS_SHAPES_INCLUDE}/aws/endpoint_table.cpp)
add_custom_command(OUTPUT ${AWS_ENDPOINT_SOURCES}
                   COMMAND ${Python3_EXECUTABLE} -B ${shapes_tool}/generate_endpoints.py --models ${shapes_models}
                           --output ${AWS_ENDPOINT_SOURCES}
                   DEPENDS ${shapes_tool}/generate_endpoints.py ${shapes_tool}/endpoint_rules.py
                           ${shapes_tool}/operations.toml
                   COMMENT "Generating AWS endpoints" VERBATIM)
