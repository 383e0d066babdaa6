import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seededUsers } from '../../../../lib/local/seed.ts';
import { answerData } from '../../../model/data.ts';
import type { Answer, DataSet, Question } from '../../../model/data-set.ts';
import { answerManagement } from '../../../model/management.ts';
import { chromiumPath, launchChromium } from '../../../service/chromium.ts';
import { type SeededService, startSeededService } from '../../../service/seeded-service.ts';
import { goToView, openView, signedInPage, untilQuiet } from '../../../service/signed-in-page.ts';
import { type Action, organization, type Trier } from './action.ts';
import { actions } from './actions.ts';
import { requestOf } from './by-hand.ts';
import { everyone, makeDataSet, type RealIds } from './fixture.ts';

// Tests every role with every action. A button exists, and works, exactly when the reference model allows the
// operation. The API must refuse everything that the model refuses, without any effect.

let service: SeededService;
let browser: Browser;
let dataSet: DataSet;
let ids: RealIds;

describe.skipIf(chromiumPath === undefined)('the console', () => {
  beforeAll(async () => {
    [service, browser] = await Promise.all([startSeededService({ users: seededUsers }), launchChromium()]);
    ({ dataSet, ids } = await makeDataSet(service));
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test.each(everyone)(
    'receives refusals from the API when $name sends requests that the model refuses',
    async (trier) => {
      const identity = identityOf(trier);
      const client = identity === undefined ? service.anyone : await service.user(identity);
      const unexpected: object[] = [];
      let refused = 0;
      const send = async (action: Action, operation: string) => {
        const { target, input, name } = action;
        const answer = answerOf(trier, operation, target(trier), input);
        if (answer === 'allowed') return;
        refused += 1;
        const membership = membershipOf(target(trier));
        const { method, path, body } = requestOf(operation, action, trier, { ids, membership });
        const { status } = await client(method, path, body);
        const isAsModelled = answer === 'refused' ? status >= 400 : status === answer;
        if (!isAsModelled) unexpected.push({ name, operation, answer, status });
      };
      const ofApi = actions.filter((action) => operationsOf(action).every((each) => !isData(each)));
      await Promise.all(ofApi.flatMap((action) => operationsOf(action).map((operation) => send(action, operation))));
      expect(unexpected).toEqual([]);
      expect(refused).toBeGreaterThan(trier.name === 'owner' ? 5 : 10);
    },
  );

  test.each(['maintainer', 'reader', 'guest'])(
    'sends no refused request from any view that it shows to a %s',
    async (name) => {
      const trier = trierNamed(name);
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
            .filter({ hasNotText: /One moment|Loading …|Looking…/ })
            .waitFor();
          await untilQuiet(page);
        }
      }
      await page.context().close();
      expect(refused).toEqual([]);
    },
    60_000,
  );

  test.each(everyone)(
    'shows $name the buttons that the model allows, and each of them works',
    async (trier) => {
      const page = await signedInPage(browser, service, identityOf(trier));
      try {
        const allowed = actions.filter((action) => isAllowed(trier, action));
        const expected = allowed.filter(({ follows }) => !follows).map(({ name }) => name);
        expect(await buttonsOf(page, trier, expected)).toEqual(expected);
        for (const action of allowed.filter(({ press }) => press !== undefined)) {
          const url = urlOf(action, trier);
          // An earlier action may have left an open form in the same view.
          await (page.url() === url ? openView : goToView)(page, url);
          expect(await pressed(page, trier, action), action.name).toBe(action.status ?? 'done');
          // Some actions navigate to another view when they are done.
          await untilQuiet(page);
        }
      } finally {
        await page.context().close();
      }
    },
    120_000,
  );
});

function trierNamed(wanted: string): Trier {
  const [trier] = everyone.filter(({ name }) => name === wanted);
  if (trier === undefined) throw new Error(`nobody is a ${wanted}`);
  return trier;
}

const operationsOf = ({ operation }: Action) => [operation].flat();
const isData = (operation: string) => /^(?:read|write)$/.test(operation);

function urlOf({ view }: Action, trier: Trier): string {
  return `${service.apiUrl}/-/console${view(trier)}`;
}

function identityOf({ name }: Trier): string | undefined {
  return dataSet.accounts.find(({ id }) => id === name)?.identity;
}

function isAllowed(trier: Trier, action: Action): boolean {
  const { target, input, shownBy } = action;
  const { account, repository } = target(trier);
  const shown = shownBy?.includes('{repository_id}') ? { account, repository } : { account };
  const isShown = shownBy === undefined || answerOf(trier, shownBy, shown) === 'allowed';
  return isShown && operationsOf(action).some((each) => answerOf(trier, each, target(trier), input) === 'allowed');
}

function answerOf(
  trier: Trier,
  operation: string,
  { membershipOf: whose, ...named }: ReturnType<Action['target']>,
  input: Question['input'] = {},
): Answer {
  const identity = identityOf(trier);
  const about = whose === undefined ? named : { membership: membershipOf({ membershipOf: whose })?.id ?? 'none' };
  const caller: Question['caller'] = identity === undefined ? { kind: 'anonymous' } : { kind: 'user', identity };
  const question = { dataSet, caller, operation, target: about, input };
  return isData(operation) ? answerData(question) : answerManagement(question);
}

function membershipOf({ membershipOf: [member, state] = ['', 'member'] }: ReturnType<Action['target']>) {
  return dataSet.memberships.find((one) => one.member === member && one.state === state && !one.repository);
}

/** Waits for the expected buttons. Then checks that no other button exists. */
async function buttonsOf(page: Page, trier: Trier, expected: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  const order = ({ name }: Action) => (expected.includes(name) ? 0 : 1);
  for (const [url, ofView] of Map.groupBy(actions, (action) => urlOf(action, trier))) {
    await goToView(page, url);
    for (const action of ofView.toSorted((a, b) => order(a) - order(b))) {
      const button = locate(page, action.button(trier)).first();
      if (expected.includes(action.name)) await button.waitFor({ state: 'attached' }).catch(() => undefined);
      if ((await button.count()) > 0) found.add(action.name);
    }
  }
  return actions.map(({ name }) => name).filter((name) => found.has(name));
}

function locate(page: Page, button: ReturnType<Action['button']>) {
  const shown = page.locator('#console');
  if ('label' in button) return shown.getByLabel(button.label, { exact: false });
  // Opens collapsed sections first, to include their buttons.
  return shown.getByRole(button.role, { name: button.name, exact: true, includeHidden: true });
}

/** Returns the result of the operation's own request. */
async function pressed(page: Page, trier: Trier, { operation, press }: Action): Promise<'done' | number> {
  const [method, path] = operation === 'write' ? ['PUT', '/{file}$'] : String(operation).split(' ');
  const url = new RegExp(`/(?:api/v1)?${path?.slice(1).replace(/\{\w+\}/g, '[^/?]+')}(?:\\?|$)`);
  const answered = page.waitForResponse((answer) => answer.request().method() === method && url.test(answer.url()));
  await Promise.all([answered, press?.(page, trier)]);
  const status = (await answered).status();
  return status < 300 ? 'done' : status;
}
