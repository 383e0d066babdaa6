import type { Page } from 'playwright-core';
import type { Membership, Question } from '../../../model/world.ts';

/** Who tries: the world of the test has each of them. */
export interface Trier {
  name: string;
  /** Somebody whom this one invites, made a writer and removed, in the organization and in the repository. */
  mate: string;
  /** Of the organization, one each: private and enabled, and disabled by an owner. */
  repository: string;
  disabled: string;
  /** A service account of the organization, by its name. */
  machine: string;
  /** A data connection. */
  connection: string;
}

/** A button, or another way to do something, of a view of the console. */
export interface Action {
  name: string;
  /** Below the console. */
  view: (trier: Trier) => string;
  /** What is there exactly for those who may, by its role and its name, or by its label. */
  button: (trier: Trier) => { role: 'button' | 'link'; name: string } | { label: string };
  /** As the model names it, or several of which one does; `read` and `write` are of the data proxy. */
  operation: string | readonly string[];
  /** What it is about; a membership by whose it is and its state. */
  target: (
    trier: Trier,
  ) => Question['target'] & { membershipOf?: readonly [member: string, state: Membership['state']] };
  input?: Question['input'];
  /** Where the button stands, for whoever may see that. */
  shownBy?: string;
  /** What an earlier press has made is there by then, and not before. */
  follows?: true;
  /** From the button to the request of the operation; without it the button is only looked for. */
  press?: (page: Page, trier: Trier) => Promise<void>;
  /** Where the rights are there and the state is not: what the operation answers then. */
  status?: number;
}

export const organization = 'harbour';
/** Of a person, whom an administrator has disabled. */
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
export const disabledView = ({ disabled }: Trier) => `/repositories/${organization}/${disabled}/settings`;
export const named =
  (name: string, role: 'button' | 'link' = 'button') =>
  () => ({ role, name });

export const click = async (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
export const confirm = async (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
