import * as z from 'zod';

export type PersonClaims =
  | { ok: true; claims: { sub: string } & Record<string, unknown> }
  | { ok: false; message: string };

const example = 'Send a JSON object with the person\'s identity, such as { "sub": "ada" }.';
const bodySchema = z.looseObject({ sub: z.string().min(1).max(255) });
const ownClaims = ['iss', 'aud', 'exp', 'iat', 'nbf', 'jti'];

/** The claims asked for in a request's JSON body: `sub`, and any others (`email`, say) as they stand. */
export function parsePersonClaims(body: string): PersonClaims {
  const parsed = bodySchema.safeParse(parseJson(body));
  if (!parsed.success) return { ok: false, message: example };
  const own = ownClaims.find((claim) => claim in parsed.data);
  if (own !== undefined) return { ok: false, message: `The claim ${own} is set by the issuer; leave it out.` };
  return { ok: true, claims: parsed.data };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
