import { expect, test } from 'vitest';
import { handler } from '../../../functions/table/report-user-issuer.ts';

const pool = "the deployment's user pool";
const issuer = 'https://login.example.org';
const names = { StackId: 'stack', RequestId: 'request', LogicalResourceId: 'UserIssuer' };

test.each([
  ['names the issuer of a new deployment', 'Create', issuer, undefined, issuer],
  ['names an unchanged issuer', 'Update', issuer, issuer, issuer],
  ['warns of a switch to another issuer', 'Update', issuer, pool, `WARNING: users signed in with ${pool} until now`],
  ['warns of a switch back', 'Update', pool, issuer, `WARNING: users signed in with ${issuer} until now`],
  ['accepts the deletion of the resource', 'Delete', issuer, undefined, issuer],
])('%s', async (_, RequestType, UserIssuer, before, shown) => {
  const answers: { url: string; body: unknown }[] = [];
  const report = handler.withServices({ answer: async (url, body) => answers.push({ url, body: JSON.parse(body) }) });
  const ResponseURL = 'https://cloudformation.example/answer';
  await report({
    ...{ ...names, RequestType, ResponseURL, ResourceProperties: { UserIssuer } },
    ...(before === undefined ? {} : { OldResourceProperties: { UserIssuer: before } }),
  });
  const body = { ...names, PhysicalResourceId: 'people-issuer', Status: 'SUCCESS' };
  expect(answers).toEqual([
    { url: ResponseURL, body: { ...body, Data: { UserIssuer: expect.stringContaining(shown) } } },
  ]);
});
