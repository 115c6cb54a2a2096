/** Runs a command to its end and returns what it printed. Throws with its error output if it fails, or after `timeout` milliseconds. */
export function runCommand(command: readonly string[], cwd: string, timeout = 600_000): string {
  const { exitCode, stdout, stderr, exitedDueToTimeout } = Bun.spawnSync([...command], {
    cwd,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout,
  });
  if (exitCode === 0) return stdout.toString();
  const reason = exitedDueToTimeout ? `did not end within ${timeout / 1000} s` : `exit code ${exitCode}`;
  throw new Error(`\`${command.join(' ')}\` failed: ${reason}\n${stderr.toString().trim()}`);
}
