import { expect, test } from 'vitest';
import { handler } from '../../../functions/table/report-people-issuer.ts';

const pool = "the deployment's user pool";
const issuer = 'https://login.example.org';
const names = { StackId: 'stack', RequestId: 'request', LogicalResourceId: 'PeopleIssuer' };

test.each([
  ['names the issuer of a new deployment', 'Create', issuer, undefined, issuer],
  ['names an issuer that stays', 'Update', issuer, issuer, issuer],
  ['warns of a switch to another issuer', 'Update', issuer, pool, `WARNING: people signed in with ${pool} until now`],
  ['warns of a switch back', 'Update', pool, issuer, `WARNING: people signed in with ${issuer} until now`],
  ['lets the resource go', 'Delete', issuer, undefined, issuer],
])('%s', async (_, RequestType, PeopleIssuer, before, shown) => {
  const answers: { url: string; body: unknown }[] = [];
  const report = handler.withServices({ answer: async (url, body) => answers.push({ url, body: JSON.parse(body) }) });
  const ResponseURL = 'https://cloudformation.example/answer';
  await report({
    ...{ ...names, RequestType, ResponseURL, ResourceProperties: { PeopleIssuer } },
    ...(before === undefined ? {} : { OldResourceProperties: { PeopleIssuer: before } }),
  });
  const body = { ...names, PhysicalResourceId: 'people-issuer', Status: 'SUCCESS' };
  expect(answers).toEqual([
    { url: ResponseURL, body: { ...body, Data: { PeopleIssuer: expect.stringContaining(shown) } } },
  ]);
});
