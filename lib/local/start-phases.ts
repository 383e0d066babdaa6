import { tracingChannel } from 'node:diagnostics_channel';

const channel = tracingChannel('sluice.start');

/** Runs a phase of the start. Phases may overlap. `npm run bench -- start` shows their times. */
export function startPhase<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  return channel.tracePromise(run, { name });
}
