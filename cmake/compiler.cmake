# Warnings, sanitizers, linker and compiler cache: the same for every room.
add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Werror
                    # Designated initialisers leave out what keeps its default; that is their point.
                    -Wno-missing-designated-field-initializers -Wno-missing-field-initializers
                    -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=
                    # Everywhere, since a precompiled header serves only code with the same thread support.
                    -pthread)
add_compile_definitions(
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED
  BOOST_ASIO_DISABLE_BOOST_COROUTINE)
add_link_options(-fuse-ld=mold -pthread)

set(INSTANTSTART_SANITIZE "" CACHE STRING "address (with undefined), thread, or empty")
if(INSTANTSTART_SANITIZE STREQUAL "address")
  # The dropped checks triple the compile time of coroutine code and found nothing that ASan does not.
  add_compile_options(-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all
                      -fno-sanitize=null,vptr,alignment,object-size,pointer-overflow -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(INSTANTSTART_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()

# Two clones of one commit share compiled objects: paths are relative to the checkout, and a precompiled header is known by
# what it was made of (room.cmake writes that beside it), since the file itself holds absolute paths.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE_PROGRAM})
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  # CMake also names the header by a path that ccache does not make relative; the precompiled one is enough.
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
endif()
