import * as z from 'zod';
import { createRefreshedValue, secondsAfter } from '../../domain/refreshed.ts';
import type { Clock } from '../../domain/time.ts';
import { createSecretReader, type ReadSecretText } from '../aws/secrets-manager.ts';

/**
 * Returns the secret by which the data proxy's firewall recognizes pages, or undefined if it is unavailable. Never
 * rejects.
 */
export type FindPagesSecret = () => Promise<string | undefined>;

/**
 * Returns a function that reads and caches the pages' secret. Pages work without the secret, but the firewall then
 * counts their requests like those of any reader.
 */
export function createPagesSecret(readText: ReadSecretText, name: string, clock: Clock): FindPagesSecret {
  const secret = createRefreshedValue(
    () => readText(name),
    {
      // Cache the secret for a long time, because its value never changes. A deployment that replaces the secret uses a
      // new name.
      dueAt: secondsAfter(60 * 60),
      endsAt: secondsAfter(24 * 60 * 60),
      failureRememberedSeconds: 60,
      unavailable: (cause) => new Error('The secret of the pages cannot be read', { cause }),
    },
    clock,
  );
  return () => secret().catch(() => undefined);
}

const environmentSchema = z.object({ SLUICE_PAGES_SECRET_NAME: z.string(), SLUICE_PAGES_SECRET_REGION: z.string() });

/**
 * Returns the function that finds the pages' secret, for pages that read open data. Starts the read at once, so that it
 * runs at the same time as the table read. Makes one attempt, because a visitor waits.
 */
export function createDeployedPagesSecret(): FindPagesSecret | undefined {
  const environment = environmentSchema.safeParse(process.env);
  if (!environment.success) return undefined;
  const { SLUICE_PAGES_SECRET_NAME: name, SLUICE_PAGES_SECRET_REGION: region } = environment.data;
  const find = createPagesSecret(createSecretReader({ region, timeoutMs: 1000, triesMax: 1 }), name, Date.now);
  void find();
  return find;
}
