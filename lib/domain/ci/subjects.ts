import type { InputFault } from '../errors.ts';
import { limits } from '../limits.ts';
import { utf8Bytes } from '../utf8-bytes.ts';
import { type MatchKey, matchKeysOf } from './matching.ts';
import {
  type CiProvider,
  originKinds,
  type Pins,
  pinNames,
  type RepositoryIds,
  type RepositoryProvider,
  type SubjectProvider,
  type TrustedOrigin,
} from './provider.ts';
import { type CiProviderKind, ciProvider } from './providers.ts';

export type TrustedSubject = { ok: true; subject: string } | { ok: false; fault: InputFault };

/** Maximum size of a trusted subject. */
export const subjectBytesMax = 700;

const environmentLengthMax = 255;

/** The workload to trust, as an owner names it: a repository with an origin, or the claims of a subject. */
export type TrustRequest = Pins & {
  [Field in keyof TrustedOrigin | keyof RepositoryIds]?: string | undefined;
} & { claims?: Record<string, string> | undefined };

/**
 * The result of checking a workload that an owner wants to trust. `ids` are the numeric IDs that the owner entered, if
 * any.
 */
export type TrustedWorkload =
  | { ok: true; subject: string; ids: RepositoryIds | undefined; key: MatchKey }
  | { ok: false; fault: InputFault };

/** Checks the workload that an owner wants to trust. Returns its subject and key, or the fault. */
export function trustedWorkload(issuer: { kind: CiProviderKind }, request: TrustRequest): TrustedWorkload {
  const provider = ciProvider(issuer);
  const fault = fieldFault(provider, request) ?? pinFault(provider, request);
  if (fault !== undefined) return { ok: false, fault };
  if (provider.identifiedBy === 'subject') {
    const subject = request.claims?.['sub'] ?? '';
    return {
      ok: true,
      subject,
      ids: undefined,
      key: matchKeysOf(provider, { subject, parts: undefined, ids: undefined }).name,
    };
  }
  const trusted = trustedSubject(issuer, { ...request, repository: request.repository ?? '' });
  if (!trusted.ok) return trusted;
  const parts = provider.parseSubject(trusted.subject);
  const typed = request.repository_id === undefined ? undefined : givenIds(request);
  const named = parts && givenIds(parts.ids);
  if (typed !== undefined && named !== undefined && JSON.stringify(typed) !== JSON.stringify(named))
    return { ok: false, fault: { path: 'repository_id', message: 'must equal the ids in the name of the repository' } };
  const ids = named ?? typed;
  const keys = matchKeysOf(provider, { subject: trusted.subject, parts, ids });
  return { ok: true, subject: trusted.subject, ids, key: keys.ids ?? keys.name };
}

function givenIds({
  repository_id,
  repository_owner_id,
}: Pick<TrustRequest, keyof RepositoryIds>): RepositoryIds | undefined {
  return repository_id === undefined || repository_owner_id === undefined
    ? undefined
    : { repository_id, repository_owner_id };
}

const repositoryFields = ['repository', ...originKinds, 'repository_id', 'repository_owner_id'] as const;

function fieldFault(provider: CiProvider, request: TrustRequest): InputFault | undefined {
  if (provider.identifiedBy === 'repository') {
    if (request.claims !== undefined)
      return {
        path: 'claims',
        message: 'are for issuers of other kinds; name a repository and a branch, tag or environment',
      };
    if (request.repository === undefined) return { path: 'repository', message: 'is required for this issuer' };
    const [id, owner] = [request.repository_id, request.repository_owner_id];
    if ((id === undefined) !== (owner === undefined))
      return { path: 'repository_id', message: 'and repository_owner_id must be given together' };
    const wrong = (['repository_id', 'repository_owner_id'] as const).find(
      (name) => !idPattern.test(request[name] ?? '1'),
    );
    return wrong && { path: wrong, message: 'must be the number that the CI system shows' };
  }
  const extra = repositoryFields.find((name) => request[name] !== undefined);
  if (extra !== undefined)
    return { path: extra, message: 'is for GitHub and GitLab; this issuer identifies a workload by its claims' };
  return claimsFault(provider, request.claims ?? {});
}

const idPattern = /^[1-9]\d{0,19}$/;
/**
 * Claims that cannot be a condition of a trusted workflow. The exchange checks them for every token, or their value is
 * different in each token.
 */
const unpinnableClaims = new Set(['iss', 'aud', 'exp', 'iat', 'nbf', 'jti']);

function claimsFault(provider: SubjectProvider, claims: Readonly<Record<string, string>>): InputFault | undefined {
  const { sub = '', ...others } = claims;
  if (sub === '') return { path: 'claims.sub', message: 'is required: the exact subject of the tokens' };
  if (utf8Bytes(sub) > subjectBytesMax)
    return { path: 'claims.sub', message: `may have at most ${subjectBytesMax} bytes` };
  if (Object.keys(others).length > limits.trustedClaimsMax)
    return { path: 'claims', message: `may name at most ${limits.trustedClaimsMax} claims in addition to sub` };
  for (const [name, value] of Object.entries(claims)) {
    const path = `claims.${name}`;
    if (unpinnableClaims.has(name)) return { path, message: 'is checked for every token; name other claims' };
    if (value.includes('*')) return { path, message: wildcardMessage };
    if (!value.isWellFormed() || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value))
      return { path, message: 'must not hold control characters or broken Unicode' };
  }
  const message = provider.subjectFault(sub);
  if (message !== undefined) return { path: 'claims.sub', message };
  const id = Object.values(provider.idClaims ?? {}).find((name) => !idPattern.test(claims[name] ?? ''));
  return id === undefined
    ? undefined
    : { path: `claims.${id}`, message: 'is required: the number that the CI system shows' };
}

function pinFault(provider: CiProvider, request: TrustRequest): InputFault | undefined {
  const pins = provider.identifiedBy === 'repository' ? provider.pins : {};
  for (const name of pinNames) {
    const value = request[name];
    if (value === undefined) continue;
    if (!(name in pins)) return { path: name, message: 'is not part of the tokens of this issuer' };
    if (value === '' || value.includes('*')) return { path: name, message: wildcardMessage };
  }
  // Rejects the condition `ref` without an environment, because the subject then already contains the branch or tag.
  return request.ref !== undefined && request.environment === undefined
    ? { path: 'ref', message: 'can be added to an environment only' }
    : undefined;
}

/** Returns the exact subject of tokens for this origin, or the reason why the origin is invalid. */
export function trustedSubject(issuer: { kind: CiProviderKind }, origin: TrustedOrigin): TrustedSubject {
  const provider = ciProvider(issuer);
  if (provider.identifiedBy === 'subject')
    return { ok: false, fault: { path: 'repository', message: 'is for GitHub and GitLab only' } };
  const fault = repositoryFault(provider, origin.repository) ?? originFault(provider, origin);
  if (fault !== undefined) return { ok: false, fault };
  const subject = provider.subject(origin);
  if (utf8Bytes(subject) > subjectBytesMax) {
    const message = `is too long: repository and name together may take ${subjectBytesMax} bytes`;
    return { ok: false, fault: { path: '', message } };
  }
  return { ok: true, subject };
}

function repositoryFault(provider: RepositoryProvider, repository: string): InputFault | undefined {
  if (/[*?]/.test(repository)) return { path: 'repository', message: wildcardMessage };
  if (/\.git$/i.test(repository)) return { path: 'repository', message: 'must be given without ".git"' };
  const message = provider.repositoryFault(repository);
  return message === undefined ? undefined : { path: 'repository', message };
}

const nameFaults = { branch: refNameFault, tag: refNameFault, environment: environmentFault } as const;

function originFault(provider: RepositoryProvider, origin: TrustedOrigin): InputFault | undefined {
  const [kind, ...others] = originKinds.filter((candidate) => origin[candidate] !== undefined);
  if (kind === undefined || others.length > 0)
    return { path: '', message: 'must name exactly one of branch, tag and environment' };
  if (!provider.origins.includes(kind)) {
    const instead = provider.origins.map((known) => `a ${known}`).join(' or ');
    return { path: kind, message: `is not part of this issuer's subjects; trust ${instead} instead` };
  }
  const name = origin[kind] ?? '';
  if (name === '') return { path: kind, message: 'must not be empty' };
  if (name.includes('*')) return { path: kind, message: wildcardMessage };
  const message = nameFaults[kind](name);
  return message === undefined ? undefined : { path: kind, message };
}

const wildcardMessage =
  'must be one whole name: wildcards are not supported; trust each further one with a workflow of its own';

function environmentFault(environment: string): string | undefined {
  // Reject invisible characters and lone surrogates, because they would hide the real name from a reader.
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(environment) || !environment.isWellFormed())
    return 'must not hold control characters or broken Unicode';
  if (environment.trim() !== environment) return 'must not start or end with white space';
  if (environment.length > environmentLengthMax) return `must be at most ${environmentLengthMax} characters`;
  return undefined;
}

const nameBytesMax = 255;

/**
 * Returns the reason why git does not allow the name of a branch or tag (`git check-ref-format --branch`), or
 * undefined.
 */
function refNameFault(name: string): string | undefined {
  if (name.startsWith('refs/')) return 'must be the short name, without "refs/heads/" or "refs/tags/"';
  if (!name.isWellFormed()) return 'must not hold broken Unicode';
  if (utf8Bytes(name) > nameBytesMax) return `must be at most ${nameBytesMax} bytes`;
  return rules.find(([breaks]) => breaks.test(name))?.[1];
}

const rules: readonly (readonly [RegExp, string])[] = [
  // Rejects all spaces and control characters of Unicode, although git rejects only those of ASCII. With them, two
  // different names could look alike.
  [/[\p{Z}\p{Cc}\p{Cf}]/u, 'must not hold spaces, control characters or other invisible characters'],
  [/[~^:?*[\\]/, 'must not hold "~", "^", ":", "?", "*", "[" or "\\"'],
  [/\.\.|@\{|^@$/, 'must not be "@" or hold ".." or "@{"'],
  [/^\/|\/$|\/\//, 'must not start or end with "/" or hold "//"'],
  [/^-/, 'must not start with "-"'],
  [/(?:^|\/)\.|\.$/, 'must not start a part with "." or end with "."'],
  [/\.lock(?:\/|$)/, 'must not end a part with ".lock"'],
];
