import * as z from 'zod';
import { refreshed, secondsAfter } from '../../domain/refreshed.ts';
import type { Clock } from '../../domain/time.ts';
import { createSecretReader } from '../aws/secrets-manager.ts';
import type { ReadSecretText } from '../secrets/secrets.ts';

/** By which the firewall of the data proxy knows pages; undefined where it cannot be had. Never rejects. */
export type FindPagesSecret = () => Promise<string | undefined>;

/** A page without it is counted as any reader is, so that no page fails for want of it. */
export function createPagesSecret(readText: ReadSecretText, name: string, clock: Clock): FindPagesSecret {
  const secret = refreshed(
    () => readText(name),
    {
      // A deployment puts another in its place under another name, so that this one never changes.
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

/** Of pages that read open data. It is asked for while the page looks at the table, and once: a reader waits for it. */
export function createDeployedPagesSecret(): FindPagesSecret | undefined {
  const environment = environmentSchema.safeParse(process.env);
  if (!environment.success) return undefined;
  const { SLUICE_PAGES_SECRET_NAME: name, SLUICE_PAGES_SECRET_REGION: region } = environment.data;
  const find = createPagesSecret(createSecretReader({ region, timeoutMs: 1000, triesMax: 1 }), name, Date.now);
  void find();
  return find;
}
