import * as z from 'zod';
import { tokenAlgorithms } from './provider.ts';
import { type CiProviderKind, ciProviders } from './providers.ts';

export const ciProviderKindSchema = z.enum(Object.keys(ciProviders) as CiProviderKind[]);

/**
 * A token issuer in the deployment's configuration. Workloads with its tokens may sign in. `issuer` is the exact `iss`
 * claim, with or without a final slash.
 */
export const ciIssuerSchema = z.strictObject({
  issuer: z.string(),
  kind: ciProviderKindSchema,
  algorithms: z.array(z.enum(tokenAlgorithms)).min(1).readonly(),
  /** The required audience of the tokens. The default is the data proxy's URL. */
  audience: z.string().exactOptional(),
});
export type CiIssuer = z.infer<typeof ciIssuerSchema>;
