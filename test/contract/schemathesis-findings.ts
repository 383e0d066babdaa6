/** An accepted finding of Schemathesis. Any other finding fails the test. */
export interface AcceptedFinding {
  /** Code of the finding in the reference of Schemathesis, such as `ST202`. */
  code: string;
  operations: readonly string[];
  why: string;
}

export const acceptedFindings: readonly AcceptedFinding[] = [
  {
    code: 'ST202',
    operations: ['POST /accounts/{account_id}/members', 'POST /repositories/{account_id}/{repository_id}/members'],
    why: 'It invites the account of the path into that account itself. Whose accounts there are is nothing that a schema could say: 400 with the field.',
  },
  {
    code: 'ST202',
    operations: ['POST /repositories/{account_id}'],
    why: 'It names the data connection of another account. A schema cannot say which connections an account may use: 400 with the field.',
  },
  {
    code: 'ST202',
    operations: ['POST /service-accounts/{service_account_id}/trusted-workflows'],
    why: 'The kind of the issuer decides which fields belong together: 400 with the field.',
  },
];
