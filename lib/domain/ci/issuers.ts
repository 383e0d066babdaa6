import * as z from 'zod';
import { type CiProviderKind, ciProviders } from './providers.ts';

export const ciProviderKindSchema = z.enum(Object.keys(ciProviders) as CiProviderKind[]);

/** A CI system whose identity tokens may sign in. `issuer` is its `iss` claim to the letter, trailing slash or not. */
export const ciIssuerSchema = z.strictObject({
  issuer: z.string(),
  kind: ciProviderKindSchema,
  algorithms: z
    .array(z.enum(['RS256', 'ES256']))
    .min(1)
    .readonly(),
  /** What its tokens must name as their audience when that is not the data proxy's URL. */
  audience: z.string().exactOptional(),
});
export type CiIssuer = z.infer<typeof ciIssuerSchema>;
