import type { Page } from 'playwright-core';
import type { Membership, Question } from '../../../model/data-set.ts';

/** A user who has own accounts and repositories in the test data. */
export interface Trier {
  name: string;
  /** The member that this user invites, makes a writer, and removes, in the organization and in the repository. */
  mate: string;
  /** Repositories of the organization: one private and enabled, one disabled by an owner. */
  repository: string;
  disabled: string;
  /** Name of a service account of the organization. */
  machine: string;
  /** IDs of data connections: one of the platform, and one of the organization. */
  connection: string;
  ownConnection: string;
}

/** A button or another control in a view of the console. */
export interface Action {
  name: string;
  /** Path of the view below the console. */
  view: (trier: Trier) => string;
  /** The control that only permitted users see, identified by role and name or by its label. */
  button: (trier: Trier) => { role: 'button' | 'link'; name: string } | { label: string };
  /**
   * Name of the operation in the model. For a list, one allowed operation is enough. `read` and `write` are operations
   * of the data proxy.
   */
  operation: string | readonly string[];
  /** Target of the operation. A membership has a member and a state. */
  target: (
    trier: Trier,
  ) => Question['target'] & { membershipOf?: readonly [member: string, state: Membership['state']] };
  input?: Question['input'];
  /** The operation that shows the part of the view with the button. */
  shownBy?: string;
  /** True when the button appears only after an earlier action. */
  follows?: true;
  /** Uses the button until the request is sent. Without this function, the test only checks that the button exists. */
  press?: (page: Page, trier: Trier) => Promise<void>;
  /** The status that a permitted user gets when the target's state does not allow the operation. */
  status?: number;
}

export const organization = 'harbour';
/** A user account that an administrator has disabled. */
export const closedAccount = 'closed-by-admin';
export const ofAccount = () => ({ account: organization });
export const ofRepository = ({ repository }: Trier) => ({ account: organization, repository });
export const ofDisabled = ({ disabled }: Trier) => ({ account: organization, repository: disabled });
export const ofOwn = ({ name }: Trier) => ({ account: name });
export const accountView = (view: string) => () => `/accounts/${organization}${view}`;
export const ownView =
  (view: string) =>
  ({ name }: Trier) =>
    `/accounts/${name}${view}`;
export const repositoryView =
  (view: string) =>
  ({ repository }: Trier) =>
    `/repositories/${organization}/${repository}${view}`;
export const disabledView = ({ disabled }: Trier) => `/repositories/${organization}/${disabled}/settings/danger-zone`;
export const named =
  (name: string, role: 'button' | 'link' = 'button') =>
  () => ({ role, name });

export const click = async (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
export const confirm = async (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

/** Presses a button, types the name into the confirmation dialog, and confirms. */
export const confirmed =
  (
    name: string | ((trier: Trier) => string),
    action: string,
    typed?: (trier: Trier) => string,
  ): NonNullable<Action['press']> =>
  async (page, trier) => {
    await click(page, typeof name === 'string' ? name : name(trier));
    if (typed !== undefined) await page.getByLabel(`Type ${typed(trier)} to confirm`).fill(typed(trier));
    await confirm(page, action);
  };

/** Opens a form, fills a field, and submits the form. */
export const submitted =
  (
    form: string | undefined,
    field: string,
    value: (trier: Trier) => string,
    submit: string,
  ): NonNullable<Action['press']> =>
  async (page, trier) => {
    if (form !== undefined) await page.getByText(form, { exact: true }).click();
    await page.getByLabel(field).fill(value(trier));
    await click(page, submit);
  };

/** Actions with a common view and a common target. An action can name another target. */
export const inView = (
  view: Action['view'],
  target: Action['target'],
  rows: readonly (Omit<Action, 'view' | 'target'> & Partial<Pick<Action, 'target'>>)[],
): Action[] => rows.map((row) => ({ view, target, ...row }));

/** Links of a view, by the name of the action: the text of the link, and the operation that it needs. */
export const links = (
  view: Action['view'],
  target: Action['target'],
  rows: Readonly<Record<string, readonly [link: string, operation: Action['operation']]>>,
): Action[] =>
  Object.entries(rows).map(([name, [link, operation]]) => ({
    ...{ name, view, target, operation },
    button: named(link, 'link'),
  }));
