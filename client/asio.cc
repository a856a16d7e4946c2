// Asio's own sources, compiled once for the whole project.
#include <asio/impl/src.hpp>
