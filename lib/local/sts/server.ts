import { buffer } from 'node:stream/consumers';
import { createLocalJWKSet, decodeJwt, errors, type JSONWebKeySet, jwtVerify } from 'jose';
import * as z from 'zod';
import type { StorageCredentials } from '../../domain/data/data-access.ts';
import type { Clock } from '../../domain/time.ts';
import { parseForm } from '../../sts/parse.ts';
import { createWebServer, type StartedServer, startServer } from '../web-server.ts';

/** The AWS account of all roles. */
const accountId = '111122223333';
const audience = 'sts.amazonaws.com';

const oneOrMore = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());
const conditionSchema = z.record(z.string(), oneOrMore);
const trustPolicySchema = z.object({
  Statement: z.array(
    z.object({
      Effect: z.literal('Allow'),
      Principal: z.object({ Federated: oneOrMore }),
      Action: oneOrMore,
      Condition: z
        .strictObject({ StringEquals: conditionSchema.optional(), StringLike: conditionSchema.optional() })
        .default({}),
    }),
  ),
});
type TrustPolicy = z.infer<typeof trustPolicySchema>;

/** A refusal with the error code of AWS (STS API reference, "AssumeRoleWithWebIdentity"). */
class Refusal extends Error {
  readonly status: number;

  constructor(name: string, status = 400) {
    super(`refused: ${name}`);
    this.name = name;
    this.status = status;
  }
}

interface StsOptions {
  /** The credentials of every assumed role. If they are absent, the emulator refuses to assume any role. */
  lent: Required<StorageCredentials> | undefined;
  clock: Clock;
}

/** Starts the emulator of AWS STS on a free port. */
export async function startSts({ lent, clock }: StsOptions): Promise<StartedServer> {
  const roles = new Map<string, TrustPolicy>();
  const server = createWebServer(undefined, { clock }, async (request, response) => {
    const answer = (status: number, xml: string) =>
      response.writeHead(status, { 'content-type': 'text/xml' }).end(xml.replaceAll(/>\s+</g, '><'));
    try {
      const form = Object.fromEntries(parseForm(await buffer(request)));
      if (form['Action'] === 'CreateRole') {
        const policy: unknown = JSON.parse(form['AssumeRolePolicyDocument'] ?? '');
        roles.set(`arn:aws:iam::${accountId}:role/${form['RoleName']}`, trustPolicySchema.parse(policy));
        return answer(200, '<CreateRoleResponse/>');
      }
      if (form['Action'] !== 'AssumeRoleWithWebIdentity') throw new Refusal('InvalidAction');
      await requireTrusted(form, roles, clock);
      if (lent === undefined) throw new Refusal('RegionDisabledException', 403);
      const expiration = new Date(clock() + Number(form['DurationSeconds']) * 1000).toISOString();
      return answer(
        200,
        `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
          <AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${lent.access_key_id}</AccessKeyId>
          <SecretAccessKey>${lent.secret_access_key}</SecretAccessKey>
          <SessionToken>${lent.session_token}</SessionToken><Expiration>${expiration}</Expiration>
          </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
      );
    } catch (error) {
      const { name, status } = error instanceof Refusal ? error : new Refusal('ValidationError');
      return answer(
        status,
        `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>
          <Code>${name}</Code><Message>refused</Message></Error><RequestId>r</RequestId></ErrorResponse>`,
      );
    }
  });
  return startServer(server, 0);
}

async function requireTrusted(form: Record<string, string>, roles: Map<string, TrustPolicy>, clock: Clock) {
  const { WebIdentityToken: token = '', RoleArn: roleArn = '', Policy: policy = '' } = form;
  JSON.parse(policy);
  const { issuer, subject } = await verifyToken(token, clock);
  const provider = issuer.replace(/^https?:\/\//, '');
  const values: Record<string, string> = { [`${provider}:aud`]: audience, [`${provider}:sub`]: subject };
  const isTrusted = roles.get(roleArn)?.Statement.some(({ Principal, Action, Condition }) => {
    const isFederated = Principal.Federated.includes(`arn:aws:iam::${accountId}:oidc-provider/${provider}`);
    const holds = (condition: Record<string, string[]> = {}, isEqual: (value: string, wanted: string) => boolean) =>
      Object.entries(condition).every(([key, wanted]) => wanted.some((one) => isEqual(values[key] ?? '', one)));
    return (
      isFederated &&
      Action.includes('sts:AssumeRoleWithWebIdentity') &&
      holds(Condition.StringEquals, (value, wanted) => value === wanted) &&
      holds(Condition.StringLike, matchesPattern)
    );
  });
  if (!isTrusted) throw new Refusal('AccessDenied', 403);
}

/** Returns true if a value matches a pattern with `*` and `?`, by the rules of IAM. */
function matchesPattern(value: string, pattern: string): boolean {
  let star = -1;
  let starValue = 0;
  let at = 0;
  for (let index = 0; index < value.length; ) {
    if (pattern[at] === '*') {
      star = at++;
      starValue = index;
    } else if (pattern[at] === '?' || pattern[at] === value[index]) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      // The rest of the pattern does not match here. Let the last `*` match one more character, and try again.
      at = star + 1;
      index = ++starValue;
    } else return false;
  }
  return [...pattern.slice(at)].every((rest) => rest === '*');
}

async function verifyToken(token: string, clock: Clock): Promise<{ issuer: string; subject: string }> {
  try {
    const { iss: issuer = '' } = decodeJwt(token);
    const discovery = await read(`${issuer}/.well-known/openid-configuration`);
    if (discovery['issuer'] !== issuer) throw new Refusal('InvalidIdentityToken');
    const keys = (await read(String(discovery['jwks_uri']))) as unknown as JSONWebKeySet;
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      ...{ issuer, audience, algorithms: ['RS256'] },
      currentDate: new Date(clock()),
    });
    return { issuer, subject: payload.sub ?? '' };
  } catch (error) {
    throw error instanceof errors.JWTExpired
      ? new Refusal('ExpiredTokenException')
      : new Refusal('InvalidIdentityToken');
  }
}

async function read(url: string): Promise<Record<string, unknown>> {
  const answer = await fetch(url);
  return (await answer.json()) as Record<string, unknown>;
}
