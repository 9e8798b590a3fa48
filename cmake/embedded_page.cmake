# The page's files as C++: EMBEDDED_PAGE_SOURCES. Files are found, not listed. Needs Python3_EXECUTABLE, which
# aws_shapes.cmake finds.
set(page_folder ${CMAKE_SOURCE_DIR}/ui/plain)
file(GLOB page_files RELATIVE ${page_folder} CONFIGURE_DEPENDS ${page_folder}/*)
list(TRANSFORM page_files PREPEND ${page_folder}/ OUTPUT_VARIABLE page_paths)
set(EMBEDDED_PAGE_SOURCES ${CMAKE_BINARY_DIR}/generated/embedded_page/embedded_files.cpp)
add_custom_command(OUTPUT ${EMBEDDED_PAGE_SOURCES}
                   COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tools/embed_files.py
                           --output ${EMBEDDED_PAGE_SOURCES} ${page_folder} ${page_files}
                   DEPENDS ${CMAKE_SOURCE_DIR}/tools/embed_files.py ${page_paths}
                   COMMENT "Embedding the page" VERBATIM)
