import type { Answer, DataSet, Question } from '../model/data-set.ts';

/**
 * The number of questions that the tests ask. `QUESTIONS=1000000 SEED=7 npx vitest run test/access` sets this number
 * and the seed.
 */
export const questionsAsked = (usual: number) => Number(process.env['QUESTIONS'] ?? usual);

type Ask = (question: Question) => Answer | Promise<Answer>;

/**
 * Returns true when the model and the service agree. An allowed request may still be `refused` for a reason other than
 * authorization.
 */
function isAgreed(model: Answer, service: Answer): boolean {
  if (model === service) return true;
  return model === 'refused' ? service !== 'allowed' : model === 'allowed' && service === 'refused';
}

/**
 * Returns true for a request that authorization allows and `run` refuses, because the target is of the wrong kind. For
 * example, a service account has no profile. A report needs the signature of a partner, which no caller in these tests
 * has.
 */
export function isLeftToRun({ dataSet, operation, target }: Question, model: Answer): boolean {
  if (operation === 'POST /service-account-keys/reports') return true;
  const account = dataSet.accounts.find(({ id }) => id === target.account);
  return account?.type === 'service' && (model === 404 || model === 'refused');
}

/** Sends each question to the model and the service, and records differences. */
export class Differential {
  readonly #model: Ask;
  readonly #service: Ask;
  readonly #isExcused: (question: Question, model: Answer) => boolean;
  readonly #found = new Map<string, string>();
  /** The number of allowed and refused answers for each operation. */
  readonly answers = new Map<string, Map<Answer, number>>();
  count = 0;

  constructor(model: Ask, service: Ask, isExcused: (question: Question, model: Answer) => boolean = () => false) {
    this.#model = model;
    this.#service = service;
    this.#isExcused = isExcused;
  }

  /** Sends a question only once. A service whose data changes could not answer it again for smaller data. */
  askOnce(question: Question): Promise<void> {
    return this.ask(question, async () => question.dataSet);
  }

  async ask(question: Question, smallest = (one: Question) => this.#smallest(one)): Promise<void> {
    const model = await this.#model(question);
    const service = await this.#service(question);
    this.count += 1;
    const tally = this.answers.get(question.operation) ?? new Map<Answer, number>();
    this.answers.set(question.operation, tally.set(model, (tally.get(model) ?? 0) + 1));
    if (isAgreed(model, service) || (service === 'allowed' && this.#isExcused(question, model))) return;
    const kind = `${question.operation}: the model says ${model}, the service ${service}`;
    if (this.#found.has(kind)) return;
    const dataSet = await smallest(question);
    const { dataSet: _, ...asked } = question;
    this.#found.set(kind, `${kind}, asked ${JSON.stringify(asked)} in ${JSON.stringify(dataSet, leaveOutEmpty)}`);
  }

  /** Returns the smallest data for which the model and the service still differ. */
  async #smallest(question: Question): Promise<DataSet> {
    let dataSet = question.dataSet;
    for (const part of Object.keys(dataSet) as (keyof DataSet)[]) {
      for (const one of [...dataSet[part]]) {
        const without = { ...dataSet, [part]: (dataSet[part] as unknown[]).filter((other) => other !== one) };
        const asked = { ...question, dataSet: without };
        if (!isAgreed(await this.#model(asked), await this.#service(asked))) dataSet = without;
      }
    }
    return dataSet;
  }

  differences(): string[] {
    return [...this.#found.values()];
  }
}

function leaveOutEmpty(_: string, value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? undefined : value;
}
