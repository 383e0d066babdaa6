import { useRef, useState } from 'preact/hooks';
import { onceOnly } from '../api/client.ts';
import type { Problem } from '../api/problem.ts';

interface CreateOnce<Wanted, Made> {
  /** Throws Problem. */
  make: (wanted: Wanted) => Promise<Made>;
  /** For the form: takes care of an answer that was lost. */
  onProblem: (problem: Problem) => boolean;
  /** What was made although its answer, with the secret, did not arrive. */
  lostId: string | undefined;
  /** After it was ended: the next one is another. */
  forget: () => void;
}

/**
 * Makes what is shown once. Sending the same again after a lost answer makes no second one; the API then names the one
 * that was made, whose secret nobody has.
 *
 * @param toBody called once for what is wanted: a body that held the time of each try would be another request each time
 */
export function useCreateOnce<Wanted, Body, Made>(
  toBody: (wanted: Wanted) => Body,
  send: (body: Body, header: ReturnType<typeof onceOnly>) => Promise<Made>,
): CreateOnce<Wanted, Made> {
  const attempt = useRef<{ wanted: string; body: Body; header: ReturnType<typeof onceOnly> } | undefined>(undefined);
  const [lostId, setLostId] = useState<string>();
  return {
    async make(given) {
      const wanted = JSON.stringify(given);
      if (attempt.current?.wanted !== wanted) attempt.current = { wanted, body: toBody(given), header: onceOnly() };
      setLostId(undefined);
      const made = await send(attempt.current.body, attempt.current.header);
      attempt.current = undefined;
      return made;
    },
    onProblem(problem) {
      if (problem.code !== 'secret_shown_once' || problem.madeId === undefined) return false;
      setLostId(problem.madeId);
      return true;
    },
    lostId,
    forget() {
      attempt.current = undefined;
      setLostId(undefined);
    },
  };
}
