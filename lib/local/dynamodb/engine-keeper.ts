import { spawn } from 'node:child_process';

// Runs the command in its arguments until its own standard input closes. The input is a pipe from the process that
// started this one. However that process ends, even by SIGKILL, the pipe closes and the command ends too. The JVM alone
// would run forever.
const [command, ...args] = process.argv.slice(2);
if (command === undefined) throw new Error('no command to keep');

const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], windowsHide: true });
child.on('error', () => process.exit(1));
child.on('exit', (code) => process.exit(code ?? 1));

function end(): void {
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), 1000);
}

process.stdin.on('end', end).on('error', end).resume();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
