import { spawn } from 'node:child_process';

// This script runs the command in its arguments until the script's own standard input closes. The input is a pipe from
// the parent process. When the parent process ends for any reason, even by SIGKILL, the pipe closes, and this script
// ends the command. Without this script, the Java process would run forever.
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
