import { spawn } from 'node:child_process';

// Runs the command in its arguments for as long as its own standard input stays open. The input is a pipe held by the
// process that started this one: however that process ends, killed without a chance to clean up included, the pipe
// closes and the command ends with it. The JVM itself would go on for ever.
const [command, ...args] = process.argv.slice(2);
if (command === undefined) throw new Error('no command to keep');

const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], windowsHide: true });
child.on('error', () => process.exit(1));
child.on('exit', (code) => process.exit(code ?? 1));

function end(): void {
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), 3000);
}

process.stdin.on('end', end).on('error', end).resume();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
