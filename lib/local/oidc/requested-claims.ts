import { createHash } from 'node:crypto';
import * as z from 'zod';

/** The claims that the issuer always sets itself. A test that needs other times changes the clock. */
const ownClaims: readonly string[] = ['iss', 'aud', 'exp', 'iat', 'nbf', 'jti'];

interface Refused {
  ok: false;
  message: string;
}

export type CiClaims = { ok: true; audience: string; claims: Record<string, string> } | Refused;

/**
 * Parses the claims for a CI token from the query, with the names that GitHub uses. `sub` and `audience` come from the
 * query. Repository, ref, environment, and IDs are derived from the subject. Every other parameter becomes a claim
 * unchanged.
 */
export function parseCiClaims(query: URLSearchParams): CiClaims {
  const given = new Map<string, string>();
  for (const [name, value] of query) {
    if (given.has(name)) return refused(`The parameter ${name} is given twice; give it once.`);
    if (ownClaims.includes(name)) return refused(setByIssuer(name));
    given.set(name, value);
  }
  const audience = given.get('audience');
  const subject = given.get('sub');
  if (audience === undefined || audience === '')
    return refused('Add ?audience=<data proxy URL>, the audience of the token.');
  if (subject === undefined || subject === '')
    return refused('Add &sub=<subject>, such as repo:<owner>/<repo>:ref:refs/heads/main (percent-encoded).');
  given.delete('audience');
  return { ok: true, audience, claims: { ...derivedClaims(subject), ...Object.fromEntries(given) } };
}

function derivedClaims(subject: string): Record<string, string> {
  const pattern =
    /^repo:(?<owner>[^:/@]+)(?:@(?<ownerId>\d+))?\/(?<name>[^:/@]+)(?:@(?<id>\d+))?:(?:ref:(?<ref>refs\/[^:]+)|environment:(?<environment>[^:]+)|(?<pull>pull_request))/;
  const parts = pattern.exec(subject)?.groups;
  if (parts === undefined) return {};
  const repository = `${parts['owner']}/${parts['name']}`;
  const ref = parts['ref'] ?? (parts['pull'] === undefined ? 'refs/heads/main' : 'refs/pull/1/merge');
  const workflow = `${repository}/.github/workflows/sync.yml@${ref}`;
  return {
    repository,
    repository_id: parts['id'] ?? numericId(repository),
    repository_owner: parts['owner'] ?? '',
    repository_owner_id: parts['ownerId'] ?? numericId(parts['owner'] ?? ''),
    repository_visibility: 'public',
    ref,
    ref_type: ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    ...(parts['environment'] === undefined ? {} : { environment: parts['environment'].replaceAll('%3A', ':') }),
    event_name: parts['pull'] === undefined ? 'push' : 'pull_request',
    workflow_ref: workflow,
    job_workflow_ref: workflow,
    actor: parts['owner'] ?? '',
    sha: createHash('sha1').update(`${repository} ${ref}`).digest('hex'),
    run_id: '1',
    run_number: '1',
    run_attempt: '1',
    runner_environment: 'github-hosted',
  };
}

/** Returns a number for a name, such as the ID of a repository. A name always gets the same number. */
function numericId(name: string): string {
  return String(createHash('sha256').update(name.toLowerCase()).digest().readUInt32BE(0));
}

function setByIssuer(claim: string): string {
  return `The claim ${claim} is set by the issuer; leave it out.`;
}

function refused(message: string): Refused {
  return { ok: false, message };
}

export type UserClaims =
  | { ok: true; claims: { sub: string } & Record<string, unknown>; audience: string | string[] | undefined }
  | Refused;

const example = 'Send a JSON object with the user\'s identity, such as { "sub": "ada" }.';
const subjectSchema = z.string().min(1).max(255);
const bodySchema = z.looseObject({
  sub: subjectSchema,
  audience: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
});

/**
 * Parses the claims for a user's token from a JSON body. `audience` is the token's audience. All other fields, such as
 * `sub` and `email`, become claims unchanged.
 */
export function parseUserClaims(body: string): UserClaims {
  const parsed = bodySchema.safeParse(parseJson(body));
  if (!parsed.success) return refused(example);
  const own = ownClaims.find((claim) => claim in parsed.data);
  if (own !== undefined) return refused(setByIssuer(own));
  const { audience, ...claims } = parsed.data;
  return { ok: true, claims, audience };
}

/** Returns the subject, or undefined if the text is not a valid subject. */
export function parseSubject(text: string | undefined): string | undefined {
  return subjectSchema.safeParse(text).data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
