import * as z from 'zod';
import type { CiProvider, RunClaims } from './provider.ts';

/** CI systems write their ids as text or as a number. */
const numericId = z.union([z.string(), z.int().transform(String)]).optional();
const claims = {
  repository: z.string().optional(),
  repository_id: numericId,
  repository_owner_id: numericId,
  environment: z.string().optional(),
};
const payloadSchema = z.record(z.string(), z.unknown());

/** Of a token's payload, who ran; undefined where a claim has another type than its own. */
export function parseRunClaims({ runClaims: names }: CiProvider, payload: unknown): RunClaims | undefined {
  const given = payloadSchema.safeParse(payload);
  if (!given.success) return undefined;
  const of = (name: string | undefined) => (name === undefined ? undefined : given.data[name]);
  const parsed = z.object(claims).safeParse({
    repository: of(names.repository),
    repository_id: of(names.repository_id),
    repository_owner_id: of(names.repository_owner_id),
    environment: of(names.environment),
  });
  if (!parsed.success) return undefined;
  const { repository, repository_id, repository_owner_id, environment } = parsed.data;
  return { repository, repository_id, repository_owner_id, environment };
}
