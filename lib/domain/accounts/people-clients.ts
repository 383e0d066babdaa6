import * as z from 'zod';

/**
 * Whose tokens sign people in, and at which door: those of `api_audiences` at the management API, those of
 * `data_audiences` at the credential exchange. No audience is in both. A deployment with a user pool keeps this in one
 * parameter of its home region (`peopleClientsParameter` in lib/stacks/names.ts), which its API and its edge read.
 */
export const peopleClientsSchema = z.object({
  /** The `iss` claim, to the letter. */
  issuer: z.url(),
  /** `aud` of a token, or `client_id` of an access token that has no `aud`. */
  api_audiences: z.array(z.string().min(1)),
  /** Empty where people do not sign in to their data by tools. */
  data_audiences: z.array(z.string().min(1)),
});
export type PeopleClients = z.infer<typeof peopleClientsSchema>;
