// terminal ANSWERS PROGRAM...   Runs a program on a new terminal and shows its output. Answers each question, which
//                               ends with ": ", with the next letter of ANSWERS and Enter; after the last letter, with
//                               the end of the input (Ctrl-D). Ends with the exit status of the program.
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words) {
    int terminal, status = 0;
    if (count < 3) return 2;
    const char *answers = words[1];
    pid_t child = forkpty(&terminal, NULL, NULL, NULL);
    if (child < 0) return perror("forkpty"), 1;
    if (child == 0) {
        execvp(words[2], words + 2);
        _exit(127);
    }
    char text[4096];
    for (ssize_t got; (got = read(terminal, text, sizeof text)) > 0;) {
        fwrite(text, 1, (size_t)got, stdout);
        fflush(stdout);
        if (got < 2 || memcmp(text + got - 2, ": ", 2)) continue;
        char line[] = {*answers, '\n'};
        if (write(terminal, *answers ? line : "\004", *answers ? 2 : 1) < 1) break;
        if (*answers) answers++;
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
