import { answerData, answerExchange } from '../model/data.ts';
import type { Answer, Caller, DataSet, Question } from '../model/data-set.ts';
import { answerManagement } from '../model/management.ts';

/** A change of the model, at the position of its commit among all commits of the table. */
interface Transition {
  sequence: number;
  committedAt: number;
  /** The time of the service's response, from which the bound of a revocation counts. */
  answeredAt: number;
  apply: (dataSet: DataSet) => void;
}

/** The model's data between two commits. */
interface Version {
  dataSet: DataSet;
  sequence: number;
  from: number;
  /** The time from which every reader must see the next version of the data. */
  until: number;
}

/** A response of the service that the model must judge. */
export interface Observation {
  kind: 'data' | 'exchange' | 'link exchange' | 'management';
  step: number;
  words: string;
  /**
   * Returns the question for the reference model. Returns undefined if the credentials belong to no single version of
   * the data.
   */
  ask: (history: History, dataSet: DataSet) => Omit<Question, 'dataSet'> | undefined;
  startedAt: number;
  endedAt: number;
  status: number;
  /** Seconds for which the service may still decide by an earlier version of the data. */
  boundSeconds: number;
}

/**
 * A successful response to a request that wrote nothing. It is correct only if the data already had the requested
 * state.
 */
export interface Acknowledgement extends Pick<Observation, 'step' | 'words' | 'startedAt' | 'endedAt'> {
  apply: (dataSet: DataSet) => void;
}

export interface Violation {
  checker: string;
  step: number;
  words: string;
}

/**
 * The maximum number of combinations of versions that are checked for a response. A response with more combinations is
 * not judged.
 */
const mixturesMax = 2048;

/**
 * All versions of the model's data. It judges responses by the reference model, which shares no code with the service.
 */
export class History {
  readonly #initial: DataSet;
  readonly #transitions: Transition[] = [];
  #versions: Version[] | undefined;
  unjudged = 0;

  constructor(initial: DataSet) {
    this.#initial = initial;
  }

  commit(transition: Transition): void {
    this.#transitions.push(transition);
    this.#transitions.sort((a, b) => a.sequence - b.sequence);
    this.#versions = undefined;
  }

  get versions(): readonly Version[] {
    if (this.#versions !== undefined) return this.#versions;
    const versions: Version[] = [{ dataSet: this.#initial, sequence: 0, from: 0, until: Number.POSITIVE_INFINITY }];
    for (const { sequence, committedAt, answeredAt, apply } of this.#transitions) {
      const last = versions.at(-1);
      const dataSet = structuredClone(last?.dataSet ?? this.#initial);
      apply(dataSet);
      if (last !== undefined) last.until = answeredAt;
      versions.push({ dataSet, sequence, from: committedAt, until: Number.POSITIVE_INFINITY });
    }
    this.#versions = versions;
    return versions;
  }

  get dataSet(): DataSet {
    return this.versions.at(-1)?.dataSet ?? this.#initial;
  }

  /** Returns the model's data after the given number of commits. */
  worldAt(sequence: number): DataSet {
    return this.versions.findLast((version) => version.sequence <= sequence)?.dataSet ?? this.#initial;
  }

  judgeAcknowledged({ step, words, startedAt, endedAt, apply }: Acknowledgement): Violation | undefined {
    const versions = this.versions.filter(({ from, until }) => from <= endedAt && until >= startedAt);
    const wasDone = versions.some(({ dataSet }) => {
      const wanted = structuredClone(dataSet);
      apply(wanted);
      return textOf(wanted) === textOf(dataSet);
    });
    if (wasDone) return undefined;
    return { checker: 'acknowledged changes are there', step, words: `${words}: it succeeded and wrote nothing` };
  }

  /** Returns a violation if no data that the service may have read explains the response. */
  judge(observation: Observation): Violation | undefined {
    const { kind, step, words, ask, startedAt, endedAt, status, boundSeconds } = observation;
    const versions = this.versions.filter(
      ({ from, until }) => from <= endedAt && until + boundSeconds * 1000 >= startedAt,
    );
    const isExplainedBy = (dataSet: DataSet): boolean => {
      const asked = ask(this, dataSet);
      return asked === undefined || agrees(answer(kind, { ...asked, dataSet }), status);
    };
    if (versions.some(({ dataSet }) => isExplainedBy(dataSet))) return undefined;
    // One decision of the service can combine data that was read or cached at different times.
    const mixtures = mixturesOf(versions.map(({ dataSet }) => dataSet));
    if (mixtures === undefined) this.unjudged += 1;
    if (mixtures === undefined || mixtures.some(isExplainedBy)) return undefined;
    const checker =
      status < 300 ? `${kind}: nothing is allowed after its revocation` : `${kind}: nothing stays refused`;
    return { checker, step, words: `${words}: ${status}, and no data of the last ${boundSeconds} s explains it` };
  }
}

function answer(kind: Observation['kind'], question: Question): Answer {
  if (kind === 'data' || kind === 'link exchange') return answerData(question);
  if (kind === 'management') return answerManagement(question);
  return answerExchange(question) === 'allowed' ? 'allowed' : 403;
}

/** Returns the text of a data set. The order in lists does not matter, and neither do settings that are off. */
function textOf(dataSet: DataSet): string {
  const leaveOut = (_: string, value: unknown) => (value === false ? undefined : value);
  const lists = Object.values(dataSet).map((list) => list.map((one: unknown) => JSON.stringify(one, leaveOut)).sort());
  return JSON.stringify(lists);
}

/** The model decides about permission. A permitted request can still be invalid or in conflict. */
function agrees(answered: Answer, status: number): boolean {
  if (status < 300) return answered === 'allowed';
  if (status === 401 || status === 403) return answered === status || answered === 'refused';
  return answered !== 401 && answered !== 403;
}

function mixturesOf(worlds: readonly DataSet[]): DataSet[] | undefined {
  let mixtures: Partial<DataSet>[] = [{}];
  for (const part of Object.keys(worlds[0] ?? {}) as (keyof DataSet)[]) {
    const distinct = [...new Map(worlds.map((dataSet) => [JSON.stringify(dataSet[part]), dataSet[part]])).values()];
    mixtures = mixtures.flatMap((mixture) => distinct.map((value) => ({ ...mixture, [part]: value })));
    if (mixtures.length > mixturesMax) return undefined;
  }
  return mixtures as DataSet[];
}

/** The names in a request to the data proxy. `object` is a key, or the prefix of a list. */
export interface WantedData {
  operation: 'read' | 'list' | 'write';
  target: Question['target'];
  object: string;
  version?: string | undefined;
}

/** Credentials for data, and the corresponding caller in the model. */
export interface Credential {
  name: string;
  signing: { access_key_id: string; secret_access_key: string; session_token?: string } | undefined;
  /** Returns the caller of a request. Returns undefined when the exchange read data of two versions. */
  callerIn: (history: History, dataSet: DataSet, wanted: WantedData) => Caller | undefined;
  /** Milliseconds since the Unix epoch. */
  expiresAt?: number | undefined;
  /** The ID of the link for which the credentials were issued. */
  link?: string;
  /** For the credentials of a link: returns true if they may read the given name in the bucket. */
  shows?: (name: string) => boolean;
}
