import * as z from 'zod';
import type { CiProvider, RepositoryIds, RepositoryProvider, SubjectParts } from './provider.ts';

/** Reasons to refuse a genuine token even if its subject is trusted. */
export const tokenFaults = ['contradiction', 'merge_request', 'other_kind'] as const;
export type TokenFault = (typeof tokenFaults)[number];

/** The workload (such as a CI job) that a token identifies. */
export interface Workload {
  subject: string;
  /**
   * The parsed subject of the token. Undefined if subjects of this issuer kind name no repository, or if the subject
   * cannot be parsed.
   */
  parts: SubjectParts | undefined;
  /** The numeric IDs from the subject, or else from the claims. Undefined if the token lacks one of them. */
  ids: RepositoryIds | undefined;
  /** The token's claims whose value is a text, a number, or a boolean, converted to text. */
  claims: ReadonlyMap<string, string>;
  fault: TokenFault | null;
}

/**
 * Rejects numbers above `Number.MAX_SAFE_INTEGER`, because they lose digits, and two different IDs could become equal.
 */
const scalar = z.union([z.string(), z.int(), z.boolean()]);
const payloadSchema = z.record(z.string(), z.unknown());

/**
 * The claims of a token. `given` contains all claims. `claims` contains only the claims whose value is a text, a
 * number, or a boolean, converted to text.
 */
export interface TokenClaims {
  given: Readonly<Record<string, unknown>>;
  claims: Workload['claims'];
}

/**
 * Parses the payload of a token whose issuer kind is not known yet. Returns undefined if the payload is not an object.
 */
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

/** Returns the workload of a token, or undefined if a claim that identifies the workload has an unexpected type. */
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

/**
 * Returns the names of the claims that decide about the sign-in. A token is refused if one of these claims has an
 * unexpected type.
 */
function identifyingClaims(provider: CiProvider): readonly string[] {
  if (provider.identifiedBy === 'subject') return ['pipeline_source'];
  const { environment, ...others } = provider.claims;
  const inSubject = provider.origins.includes('environment') ? [environment] : [];
  return ['pipeline_source', ...Object.values(others), ...inSubject];
}

/**
 * Returns true if the CI job belongs to a merge request. Checks GitLab's claims for every issuer kind, because an
 * account may register an issuer with the wrong kind.
 */
function isMergeRequest(claims: ReadonlyMap<string, string>): boolean {
  const source = claims.get('pipeline_source');
  // For a child pipeline, GitLab's claim for the source contains only "parent_pipeline", so the ref decides. The ref of
  // a merge request is never protected (GitLab issue 420463).
  return source === 'merge_request_event' || (source === 'parent_pipeline' && claims.get('ref_protected') !== 'true');
}

/**
 * Returns true if a claim contradicts the subject of the token. CI systems let users customize subjects, so
 * contradictions are possible.
 */
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
