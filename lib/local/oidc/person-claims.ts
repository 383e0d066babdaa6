import * as z from 'zod';

export type PersonClaims =
  | { ok: true; claims: { sub: string } & Record<string, unknown>; audience: string | string[] | undefined }
  | { ok: false; message: string };

const example = 'Send a JSON object with the person\'s identity, such as { "sub": "ada" }.';
const subjectSchema = z.string().min(1).max(255);
const bodySchema = z.looseObject({
  sub: subjectSchema,
  audience: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
});
const ownClaims = ['iss', 'aud', 'exp', 'iat', 'nbf', 'jti'];

/**
 * Parses the claims in a request's JSON body: `sub` and any others, such as `email`, unchanged. `audience` is the
 * token's audience.
 */
export function parsePersonClaims(body: string): PersonClaims {
  const parsed = bodySchema.safeParse(parseJson(body));
  if (!parsed.success) return { ok: false, message: example };
  const own = ownClaims.find((claim) => claim in parsed.data);
  if (own !== undefined) return { ok: false, message: `The claim ${own} is set by the issuer; leave it out.` };
  const { audience, ...claims } = parsed.data;
  return { ok: true, claims, audience };
}

/** Returns the subject, or undefined for invalid text. */
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
