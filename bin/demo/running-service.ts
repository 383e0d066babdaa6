import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { parseEnv } from 'node:util';
import * as z from 'zod';
import { settingsFolder } from '../../lib/local/settings-files.ts';

/** Ends the demo with a sentence that tells the user what to do. It is printed without a stack trace. */
export class DemoError extends Error {
  override name = 'DemoError';
}

const writtenUrlsSchema = z.object({
  api_url: z.url(),
  data_url: z.url(),
  identity_url: z.url(),
  trusted_certificates_file: z.string().optional(),
});
const seededSchema = writtenUrlsSchema.extend({
  organization_id: z.string(),
  open_repository_id: z.string(),
  private_repository_id: z.string(),
  service_account_id: z.string(),
  user_identity_id: z.string(),
  env_file: z.string(),
});

/** The data that the local service wrote when it started, and the settings for AWS clients. */
export interface RunningService extends z.infer<typeof seededSchema> {
  settings: Readonly<Record<string, string>>;
}

const remedy = 'start the service with "npm start" in another terminal, then run the demo again.';

/**
 * Reads the files that the local service wrote, and checks that the service answers.
 *
 * @throws DemoError when no service was started from this folder, when the service does not answer, or when it was
 * started without the seed
 */
export async function findRunningService(): Promise<RunningService> {
  const file = path.resolve(settingsFolder, 'local.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) throw new DemoError(`There is no ${file}: ${remedy}`);
  const written = writtenUrlsSchema.safeParse(parseJson(text));
  if (!written.success) throw new DemoError(`${file} is not what the service writes: ${remedy}`);
  const { api_url, data_url, identity_url, trusted_certificates_file } = written.data;
  if (trusted_certificates_file !== undefined) {
    setDefaultCACertificates([...getCACertificates('default'), await readFile(trusted_certificates_file, 'utf8')]);
  }
  for (const url of [`${api_url}/health`, `${data_url}/.health`, `${identity_url}/health`]) {
    if (!(await isAnswering(url))) throw new DemoError(`No service responds at ${url}: ${remedy}`);
  }
  const seeded = seededSchema.safeParse(parseJson(text));
  if (!seeded.success) {
    throw new DemoError('The service runs without its seed: start it again with SLUICE_SEED unset.');
  }
  const settings = parseEnv(await readFile(seeded.data.env_file, 'utf8'));
  return { ...seeded.data, settings: z.record(z.string(), z.string()).parse(settings) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isAnswering = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(5000) }).then(
    ({ ok }) => ok,
    () => false,
  );
