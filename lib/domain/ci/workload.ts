import * as z from 'zod';
import type { CiProvider, RepositoryIds, RepositoryProvider, SubjectParts } from './provider.ts';

/** The reason why a genuine token never signs in, even if its subject is trusted. */
export const tokenFaults = ['contradiction', 'merge_request', 'other_kind'] as const;
export type TokenFault = (typeof tokenFaults)[number];

/** The workload that a token identifies. */
export interface Workload {
  subject: string;
  /** Undefined if the kind has no such subjects, or if the subject has another form. */
  parts: SubjectParts | undefined;
  /** The IDs from the subject, otherwise from the claims. Undefined if the token lacks one. */
  ids: RepositoryIds | undefined;
  /** The token's claims with a text, a number, or a boolean, as text. */
  claims: ReadonlyMap<string, string>;
  fault: TokenFault | null;
}

/** Numbers above `Number.MAX_SAFE_INTEGER` would lose digits, and two IDs could become equal. */
const scalar = z.union([z.string(), z.int(), z.boolean()]);
const payloadSchema = z.record(z.string(), z.unknown());

/** The claims of a token: all of them, and those with a text, a number, or a boolean, as text. */
export interface TokenClaims {
  given: Readonly<Record<string, unknown>>;
  claims: Workload['claims'];
}

/** Parses a token's payload for every kind. Returns undefined if it is not an object. */
export function parseTokenClaims(payload: unknown): TokenClaims | undefined {
  const given = payloadSchema.safeParse(payload).data;
  if (given === undefined) return undefined;
  const claims = new Map(
    Object.entries(given).flatMap(([name, value]) => {
      const parsed = scalar.safeParse(value);
      return parsed.success ? [[name, String(parsed.data)] as const] : [];
    }),
  );
  return { given, claims };
}

/** Returns the workload of a token. Returns undefined if a claim that identifies it has another type. */
export function parseWorkload(
  provider: CiProvider,
  subject: string,
  { given, claims }: TokenClaims,
): Workload | undefined {
  if (identifyingClaims(provider).some((name) => name in given && !claims.has(name))) return undefined;
  if (provider.identifiedBy === 'subject') {
    const isForeign =
      provider.foreignClaims.some((name) => name in given) || provider.subjectFault(subject) !== undefined;
    const fault =
      isMergeRequest(claims) || provider.isMergeRequest?.(subject) ? 'merge_request' : isForeign ? 'other_kind' : null;
    return { subject, parts: undefined, ids: undefined, claims, fault };
  }
  const parts = provider.parseSubject(subject);
  const fault = isMergeRequest(claims)
    ? 'merge_request'
    : isContradictory(provider, parts, claims)
      ? 'contradiction'
      : null;
  return { subject, parts, ids: idsOf(provider, parts, claims), claims, fault };
}

/** Returns the claims whose type must be right, because they decide about the sign-in. */
function identifyingClaims(provider: CiProvider): readonly string[] {
  if (provider.identifiedBy === 'subject') return ['pipeline_source'];
  const { environment, ...others } = provider.claims;
  const inSubject = provider.origins.includes('environment') ? [environment] : [];
  return ['pipeline_source', ...Object.values(others), ...inSubject];
}

/** Checks GitLab's claims for every kind, because an account may register an issuer under the wrong kind. */
function isMergeRequest(claims: ReadonlyMap<string, string>): boolean {
  const source = claims.get('pipeline_source');
  // A child pipeline of a merge request names only its parent. Its ref is never protected (GitLab issue 420463).
  return source === 'merge_request_event' || (source === 'parent_pipeline' && claims.get('ref_protected') !== 'true');
}

/** Returns true when a claim contradicts the subject, which issuers let users customize. */
function isContradictory(
  provider: RepositoryProvider,
  parts: SubjectParts | undefined,
  claims: ReadonlyMap<string, string>,
): boolean {
  if (parts === undefined) return false;
  return provider.repeatedClaims(parts).some(({ claim, agrees }) => {
    const value = claims.get(claim);
    return value !== undefined && !agrees(value);
  });
}

function idsOf(
  provider: RepositoryProvider,
  parts: SubjectParts | undefined,
  claims: ReadonlyMap<string, string>,
): RepositoryIds | undefined {
  const repository_id = parts?.ids.repository_id ?? claims.get(provider.claims.repository_id);
  const repository_owner_id = parts?.ids.repository_owner_id ?? claims.get(provider.claims.repository_owner_id);
  return repository_id === undefined || repository_owner_id === undefined
    ? undefined
    : { repository_id, repository_owner_id };
}
