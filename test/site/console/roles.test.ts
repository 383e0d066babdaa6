import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seededPeople, seedNames } from '../../../lib/local/seed.ts';
import { addMember, invite, made, repository, signUp } from '../../functions/people.ts';
import { answerData } from '../../model/data.ts';
import { answerManagement } from '../../model/management.ts';
import type { Account, Question, World } from '../../model/world.ts';
import { chromiumPath, launchChromium } from '../../service/chromium.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';
import type { Client } from '../../service/test-service.ts';
import { type Action, actions, organization, type Trier } from './role-actions.ts';
import { goToView, openView, signedInPage } from './signed-in-page.ts';

// Every role and every action: a button is there exactly when the reference model of access allows the operation, and it works.

interface Role {
  name: string;
  /** In the organization, and in its repositories. */
  role?: World['memberships'][number]['role'];
  ofRepositories?: World['memberships'][number]['role'];
  state?: 'invited';
  flags?: Account['flags'];
  identity?: string;
}

const roles: readonly Role[] = [
  { name: 'owner', role: 'owners', flags: ['create_organizations'] },
  { name: 'maintainer', role: 'maintainers' },
  { name: 'writer', role: 'write_data' },
  { name: 'reader', role: 'read_data' },
  { name: 'keeper', ofRepositories: 'maintainers' },
  { name: 'guest', ofRepositories: 'write_data' },
  { name: 'invited', role: 'maintainers', state: 'invited' },
  { name: 'outsider' },
  { name: seedNames.admin.account_id, identity: seedNames.admin.identity_id, flags: ['admin'] },
];

const trierOf = (name: string): Trier => ({
  name,
  mate: `mate-of-${name}`,
  repository: `charts-of-${name}`,
  disabled: `closed-of-${name}`,
});
const everyone: readonly Trier[] = [...roles.map(({ name }) => trierOf(name)), trierOf('nobody')];

let service: SeededService;
let browser: Browser;
let world: World;

describe.skipIf(chromiumPath === undefined)('the console', () => {
  beforeAll(async () => {
    [service, browser] = await Promise.all([startSeededService({ people: seededPeople }), launchChromium()]);
    world = await makeWorld();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test.each(['maintainer', 'reader', 'guest'])(
    'asks in no view that it offers to a %s for what is refused',
    async (name) => {
      const trier = trierOf(name);
      const page = await signedInPage(browser, service, identityOf(trier));
      const refused: string[] = [];
      page.on('response', (answer) => {
        if (answer.status() === 403) refused.push(`${answer.request().method()} ${answer.url()}`);
      });
      for (const of of [`accounts/${organization}`, `repositories/${organization}/${trier.repository}`]) {
        await openView(page, `${service.apiUrl}/-/console/${of}`);
        await page.locator('.tabs a').first().waitFor();
        for (const tab of await page.locator('.tabs a').all()) {
          await tab.click();
          await page
            .locator('#console')
            .filter({ hasNotText: /One moment|Looking…/ })
            .waitFor();
          await page.waitForLoadState('networkidle');
        }
      }
      await page.context().close();
      expect(refused).toEqual([]);
    },
    60_000,
  );

  test.each(everyone)(
    'has for $name the buttons that the model allows, and they work',
    async (trier) => {
      const identity = identityOf(trier);
      const page = await signedInPage(browser, service, identity);
      try {
        const allowed = actions.filter((action) => isAllowed(trier, action));
        const expected = allowed.filter(({ follows }) => !follows).map(({ name }) => name);
        expect(await buttonsOf(page, trier, expected)).toEqual(expected);
        for (const action of allowed.filter(({ press }) => press !== undefined)) {
          await openView(page, urlOf(action, trier));
          expect(await pressed(page, trier, action), action.name).toBe(action.status ?? 'done');
        }
      } finally {
        await page.context().close();
      }
    },
    90_000,
  );
});

function urlOf({ view }: Action, trier: Trier): string {
  return `${service.apiUrl}/-/console${view(trier)}`;
}

function identityOf({ name }: Trier): string | undefined {
  return world.accounts.find(({ id }) => id === name)?.identity;
}

function isAllowed(trier: Trier, action: Action): boolean {
  const { operation, target, input, shownBy } = action;
  const { account } = target(trier);
  const isShown = shownBy === undefined || isAnswered(trier, shownBy, { account });
  return isShown && [operation].flat().some((each) => isAnswered(trier, each, target(trier), input));
}

function isAnswered(
  trier: Trier,
  operation: string,
  { membershipOf, ...named }: ReturnType<Action['target']>,
  input: Question['input'] = {},
): boolean {
  const identity = identityOf(trier);
  const [member, state] = membershipOf ?? [];
  const membership = world.memberships.find((one) => one.member === member && one.state === state && !one.repository);
  const about = membershipOf === undefined ? named : { membership: membership?.id ?? 'none' };
  const caller: Question['caller'] = identity === undefined ? { kind: 'anonymous' } : { kind: 'person', identity };
  const question = { world, caller, operation, target: about, input };
  return (/^(?:read|write)$/.test(operation) ? answerData(question) : answerManagement(question)) === 'allowed';
}

/** What is expected is waited for; then nothing else may be there. */
async function buttonsOf(page: Page, trier: Trier, expected: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  const order = ({ name }: Action) => (expected.includes(name) ? 0 : 1);
  for (const [url, ofView] of Map.groupBy(actions, (action) => urlOf(action, trier))) {
    await goToView(page, url);
    for (const action of ofView.toSorted((a, b) => order(a) - order(b))) {
      const button = locate(page, action.button(trier)).first();
      if (expected.includes(action.name))
        await button.waitFor({ state: 'attached', timeout: 5000 }).catch(() => undefined);
      if ((await button.count()) > 0) found.add(action.name);
    }
  }
  return actions.map(({ name }) => name).filter((name) => found.has(name));
}

function locate(page: Page, button: ReturnType<Action['button']>) {
  const shown = page.locator('#console');
  if ('label' in button) return shown.getByLabel(button.label, { exact: false });
  // Also what is folded away until it is wanted.
  return shown.getByRole(button.role, { name: button.name, exact: true, includeHidden: true });
}

/** What the operation's own request was answered. */
async function pressed(page: Page, trier: Trier, { operation, press }: Action): Promise<'done' | number> {
  const [method, path] = operation === 'write' ? ['PUT', '/{file}$'] : String(operation).split(' ');
  const url = new RegExp(`/(?:api/v1)?${path?.slice(1).replace(/\{\w+\}/g, '[^/?]+')}(?:\\?|$)`);
  const answered = page.waitForResponse((answer) => answer.request().method() === method && url.test(answer.url()));
  await Promise.all([answered, press?.(page, trier)]);
  const status = (await answered).status();
  return status < 300 ? 'done' : status;
}

async function makeWorld(): Promise<World> {
  const admin = await service.person(seedNames.admin.identity_id);
  const all: World = {
    accounts: [{ ...thing(organization), type: 'organization', flags: [] }],
    repositories: [],
    memberships: [],
    connections: [{ id: seedNames.data_connection_id, readOnly: false, modes: ['open', 'subscription', 'private'] }],
    keys: [],
    signInKeys: [],
    workflows: [],
    grants: [],
    transfers: [],
    configuredAdmins: [],
  };
  const people = new Map<string, Client>([[seedNames.admin.account_id, admin]]);
  const join = async (id: string, flags: Account['flags'] = [], identity = id) => {
    if (!people.has(id)) people.set(id, await signUp(service, id));
    if (identity === id && flags.length > 0) await made(admin('PUT', `/accounts/${id}/flags`, flags));
    all.accounts.push({ ...thing(id), type: 'user', flags, identity });
    return people.get(id) as Client;
  };
  const boss = await join('boss', ['create_organizations']);
  const body = { account_id: organization, account_type: 'organization', profile: { name: 'Harbour' } };
  await made(boss('POST', '/accounts', body));
  const belongs = (id: string, member: string, role: Role['role'], state: 'member' | 'invited', of?: string) =>
    all.memberships.push({
      id,
      account: organization,
      member,
      role: role ?? 'read_data',
      state,
      repository: of === undefined ? undefined : { id: of, uid: `${organization}/${of}` },
    });
  belongs('boss', 'boss', 'owners', 'member');
  for (const { name, role, ofRepositories, state = 'member', flags, identity } of roles) {
    const trier = trierOf(name);
    const person = await join(name, flags, identity);
    await join(trier.mate);
    // What this one is to invite, to make a writer and to take back.
    belongs(trier.mate, trier.mate, 'read_data', 'invited');
    if (role !== undefined) {
      if (state === 'member') await addMember(boss, organization, person, name, role);
      else await invite(boss, organization, name, role);
      belongs(name, name, role, state);
    }
    for (const [id, disabledBy] of [
      [trier.repository, undefined],
      [trier.disabled, 'owner'],
    ] as const) {
      const hidden = { data_mode: 'private', data_connection_id: seedNames.data_connection_id };
      await made(boss('POST', `/repositories/${organization}`, repository(id, hidden)));
      if (ofRepositories !== undefined) {
        await addMember(boss, `${organization}/${id}`, person, name, ofRepositories);
        belongs(`${name}-${id}`, name, ofRepositories, 'member', id);
      }
      if (disabledBy !== undefined) await made(boss('DELETE', `/repositories/${organization}/${id}`));
      all.repositories.push({
        id,
        uid: `${organization}/${id}`,
        disabledBy,
        account: organization,
        mode: 'private',
        state: 'unlisted',
        connection: seedNames.data_connection_id,
      });
    }
  }
  return all;
}

const thing = (id: string) => ({ id, uid: id, disabledBy: undefined });
