import { type Api, done, expect, made, refused } from './client.ts';

/** Invitations, roles, blocked accounts, and a transfer of a repository. */
export async function users({ ada, grace }: { ada: Api; grace: Api }): Promise<void> {
  const params = { path: { account_id: 'tides' } };
  const candidate = await findSomebody(ada);
  await refused(grace.GET('/accounts', { params: { query: { prefix: 'ada', scope: 'tides' } } }), 'access_denied');
  const body = { account_id: candidate, role: 'read_data' } as const;
  const invitation = await made(ada.POST('/accounts/{account_id}/members', { params, body }));
  await refused(ada.POST('/accounts/{account_id}/members', { params, body }), 'already_member');
  const { memberships } = await made(grace.GET('/whoami'));
  const [open] = memberships;
  expect(open?.state === 'invited', 'the invitation waits');
  expect(open.membership_account_name === 'Tide Institute', 'and says by name who invites');

  const of = (membership_id: string) => ({ params: { path: { membership_id } } });
  const joined = of(invitation.membership_id);
  await made(grace.POST('/memberships/{membership_id}/accept', joined));
  await refused(grace.POST('/memberships/{membership_id}/accept', joined), 'wrong_state');
  const members = await made(ada.GET('/accounts/{account_id}/members', { params }));
  const names = members.map(({ account_name }) => account_name).sort();
  expect(names.join() === 'Ada,Grace', 'members are listed by name');
  const raised = { ...joined, body: 'maintainers' } as const;
  await made(ada.POST('/memberships/{membership_id}/update-role', raised));
  const own = members.find(({ role }) => role === 'owners');
  expect(own !== undefined, 'the organization has an owner');
  await refused(ada.POST('/memberships/{membership_id}/revoke', of(own.membership_id)), 'last_owner');

  const gauges = { params: { path: { account_id: 'tides', repository_id: 'gauges' } } };
  const offer = { ...gauges, body: { to: 'grace' } };
  const offered = await made(ada.POST('/repositories/{account_id}/{repository_id}/transfers', offer));
  await refused(ada.POST('/repositories/{account_id}/{repository_id}/transfers', offer), 'already_offered');
  const [waiting] = await made(
    grace.GET('/accounts/{account_id}/transfers', { params: { path: { account_id: 'grace' } } }),
  );
  expect(waiting?.account_name === 'Tide Institute', 'an offer says by name whose it is');
  const transfer = { params: { path: { transfer_id: offered.transfer_id } } };
  await made(ada.POST('/transfers/{transfer_id}/withdraw', transfer));
  await refused(grace.POST('/transfers/{transfer_id}/accept', transfer), 'wrong_state');

  const guest = await made(ada.POST('/repositories/{account_id}/{repository_id}/members', { ...gauges, body }));
  await made(grace.POST('/memberships/{membership_id}/reject', of(guest.membership_id)));
  const again = ada.POST('/repositories/{account_id}/{repository_id}/members', { ...gauges, body });
  await refused(again, 'invitation_declined');
  await made(ada.POST('/memberships/{membership_id}/revoke', joined));

  const blocked = { params: { path: { account_id: 'grace', blocked_account_id: 'tides' } } };
  const first = await grace.PUT('/accounts/{account_id}/blocked-accounts/{blocked_account_id}', blocked);
  expect(first.response.status === 201, 'a first PUT makes it');
  const list = { params: { path: { account_id: 'grace' } } };
  const [shown] = await made(grace.GET('/accounts/{account_id}/blocked-accounts', list));
  expect(shown?.account_name === 'Tide Institute', 'what is blocked is listed by name');
  await done(grace.DELETE('/accounts/{account_id}/blocked-accounts/{blocked_account_id}', blocked));
  const gone = grace.DELETE('/accounts/{account_id}/blocked-accounts/{blocked_account_id}', blocked);
  await refused(gone, 'not_found');
}

/** Searches as an input field with suggestions does, until the rate limit refuses it. */
async function findSomebody(ada: Api): Promise<string> {
  const search = (prefix: string) => ada.GET('/accounts', { params: { query: { prefix, scope: 'tides' } } });
  const invalid = await refused(search('gr'), 'field_invalid');
  expect(invalid.errors?.[0]?.path === 'prefix', 'two letters are too few');
  const [found] = await made(search('gra'));
  expect(found?.profile.name === 'Grace', 'somebody is found, with a name to show');
  // The requests fall into at most two clock minutes, so one of them exceeds its limit.
  for (let count = 0; count < 62; count += 1) {
    const { error, response } = await search('gra');
    if (error === undefined) continue;
    expect(error.code === 'throttled', 'who searches too often waits');
    expect(Number(response.headers.get('retry-after')) > 0, 'and is told how long');
    return found.account_id;
  }
  throw new Error('nobody was told to wait');
}
