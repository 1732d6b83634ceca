// Descriptors 0 to 2 belong to stdin, stdout and stderr, even when whoever
// started us had closed them: what we open next would take their place and get
// our messages.
#ifndef CMD_STANDARD_DESCRIPTORS_H_
#define CMD_STANDARD_DESCRIPTORS_H_

#include <fcntl.h>
#include <unistd.h>

namespace netstack {

// Opens /dev/null for each that is closed. First thing in main.
inline void OpenStandardDescriptors() {
  int fd;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= STDIN_FILENO && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO) close(fd);
}

}  // namespace netstack

#endif  // CMD_STANDARD_DESCRIPTORS_H_
