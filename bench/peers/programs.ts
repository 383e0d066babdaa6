import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { LocalStorage } from '../../lib/local/embedded-storage.ts';
import { listenOnLoopback } from '../../lib/local/ports.ts';

/** A third-party program in a process whose CPU time can be read. */
export interface Program {
  name: string;
  usage(): Promise<{ cpuMicroseconds: number }>;
}

const access = { access_key_id: 'BENCHBENCHBENCH', secret_access_key: 'bench-bench-bench-bench' };
const bucket = 'bench-bucket';
/** Built by .ci/build-real-storage. */
const versitygw = path.resolve('node_modules/.cache/real-storage/versitygw');
/** The unit of CPU time in /proc on Linux. */
const tickMicroseconds = 10_000;

/** Starts the S3 storages that are installed on this machine, each with an empty bucket. */
export async function startInstalledStorages(
  started: AsyncDisposableStack,
): Promise<(Program & { storage: LocalStorage })[]> {
  const found = [
    existsSync(versitygw) ? (['versitygw', versitygw] as const) : undefined,
    ...['minio'].map((name) => [name, findProgram(name)] as const),
  ];
  const storages: (Program & { storage: LocalStorage })[] = [];
  for (const [name, file] of found.flatMap((each) => (each?.[1] === undefined ? [] : [[each[0], each[1]] as const]))) {
    const folder = temporaryFolder(started);
    // Both use a folder as a bucket.
    mkdirSync(path.join(folder, bucket));
    const address = `127.0.0.1:${await freePort()}`;
    const { access_key_id: id, secret_access_key: secret } = access;
    const args =
      name === 'versitygw'
        ? ['--access', id, '--secret', secret, '--port', address, '--quiet', '--keep-alive', 'posix', folder]
        : ['server', folder, '--address', address, '--quiet'];
    const child = spawn(file, args, {
      stdio: 'ignore',
      env: { ...process.env, MINIO_ROOT_USER: id, MINIO_ROOT_PASSWORD: secret },
    });
    const program = await running(name, child, `http://${address}`, started);
    storages.push({ ...program, storage: { endpoint: `http://${address}`, region: 'us-east-1', bucket, ...access } });
  }
  return storages;
}

/** Starts nginx as an unbuffered proxy with keep-alive connections; returns undefined if nginx is not installed. */
export async function startNginx(
  origin: string,
  started: AsyncDisposableStack,
): Promise<(Program & { url: string }) | undefined> {
  const file = findProgram('nginx');
  if (file === undefined) return undefined;
  const folder = temporaryFolder(started);
  const address = `127.0.0.1:${await freePort()}`;
  const configuration = path.join(folder, 'nginx.conf');
  writeFileSync(
    configuration,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  upstream origin { server ${new URL(origin).host}; keepalive 128; }
  server {
    listen ${address}; client_max_body_size 0;
    location / {
      proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host;
      proxy_request_buffering off; proxy_max_temp_file_size 0;
    }
  }
}`,
  );
  const child = spawn(file, ['-c', configuration, '-p', folder], { stdio: 'ignore' });
  return { ...(await running('nginx', child, `http://${address}`, started)), url: `http://${address}` };
}

function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin'];
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

async function running(
  name: string,
  child: ChildProcess,
  url: string,
  started: AsyncDisposableStack,
): Promise<Program> {
  started.defer(async () => {
    if (child.exitCode !== null || !child.kill()) return;
    await once(child, 'exit');
  });
  for (let tries = 0; ; tries += 1) {
    try {
      await fetch(url);
      break;
    } catch (error) {
      if (tries === 50 || child.exitCode !== null) throw new Error(`${name} did not start`, { cause: error });
      await wait(100);
    }
  }
  return {
    name,
    async usage() {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return { cpuMicroseconds: (Number(fields[11]) + Number(fields[12])) * tickMicroseconds };
    },
  };
}

function temporaryFolder(started: AsyncDisposableStack): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-peers-'));
  started.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function freePort(): Promise<number> {
  const placeholder = createServer();
  const port = await listenOnLoopback(placeholder, 0);
  await new Promise((resolve) => placeholder.close(resolve));
  return port;
}
