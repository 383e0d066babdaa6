import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { AwsAccount } from './aws-account.ts';

interface TemplateResource {
  Type: string;
  Properties: { FunctionName?: string; Description?: string; Code: { S3Key: string } };
}

interface Options {
  /** The folder of synthesized templates and bundles. */
  assembly: string;
  account: AwsAccount;
  homeRegion: string;
  /** The prefix of the functions' names. */
  prefix: string;
  /** Ports of local servers by the first label of an AWS host. */
  ports: Record<string, number>;
  accessKeyId: string;
}

/**
 * Runs deployed functions: the code from the cloud assembly, and the environment that CloudFormation gave the function.
 * Each has a process that starts with its first event.
 */
export class DeployedFunctions {
  readonly #options: Options;
  readonly #files = new Map<string, string>();
  readonly #processes = new Map<string, Promise<ChildProcess>>();
  #events = 0;

  constructor(options: Options) {
    this.#options = options;
    const { assembly, prefix } = options;
    for (const file of readdirSync(assembly).filter((name) => name.endsWith('.template.json'))) {
      const template = JSON.parse(readFileSync(path.join(assembly, file), 'utf8'));
      for (const [id, resource] of Object.entries<TemplateResource>(template.Resources)) {
        if (resource.Type !== 'AWS::Lambda::Function' || !('Description' in resource.Properties)) continue;
        const { FunctionName, Code } = resource.Properties;
        // Functions of the edge have no fixed names.
        const name = FunctionName?.slice(prefix.length) ?? id.replace(/Function[0-9A-F]{8}$/, '');
        this.#files.set(name, path.join(assembly, `asset.${Code.S3Key.replace('.zip', '')}`, 'index.cjs'));
      }
    }
  }

  get names(): string[] {
    return [...this.#files.keys()];
  }

  /** Returns the environment variables that a function has in the account. */
  async environmentOf(name: string): Promise<Record<string, string>> {
    const { account, homeRegion, prefix } = this.#options;
    const answer = await account.call('lambda', homeRegion, {
      path: `/2015-03-31/functions/${prefix}${name}/configuration`,
    });
    return JSON.parse(answer).Environment?.Variables ?? {};
  }

  // biome-ignore lint/suspicious/noExplicitAny: each kind of function has its own result
  async invoke(name: string, event: unknown): Promise<any> {
    let started = this.#processes.get(name);
    if (started === undefined) {
      started = this.#start(name);
      this.#processes.set(name, started);
    }
    const child = await started;
    this.#events += 1;
    const id = this.#events;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const onEnd = () => reject(new Error(`the process of ${name} ended`));
    const onMessage = (answer: { id: number; result?: unknown; error?: string }) => {
      if (answer.id !== id) return;
      if (answer.error === undefined) resolve(answer.result);
      else reject(new Error(`${name}: ${answer.error}`));
    };
    child.on('message', onMessage).once('exit', onEnd);
    child.send({ id, event });
    try {
      return await promise;
    } finally {
      child.off('message', onMessage).off('exit', onEnd);
    }
  }

  close(): void {
    for (const started of this.#processes.values()) void started.then((child) => child.kill());
  }

  async #start(name: string): Promise<ChildProcess> {
    const { account, ports, accessKeyId, homeRegion } = this.#options;
    const file = this.#files.get(name);
    if (file === undefined) throw new Error(`no template has the function ${name}`);
    const args = [file, JSON.stringify({ '*': account.port, ...ports })];
    return fork(new URL('./function-process.ts', import.meta.url), args, {
      execArgv: [],
      env: {
        AWS_REGION: homeRegion,
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: 'emulated',
        AWS_LAMBDA_FUNCTION_NAME: name,
        ...(await this.environmentOf(name)),
      },
    });
  }
}
