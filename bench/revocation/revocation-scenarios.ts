import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { LocalService } from '../../lib/local/service.ts';
import type { Stage } from '../../test/bounds/stage.ts';
import { deletionScenario } from './deletion-load.ts';
import { exchangeScenario, refusalScenario } from './exchange-load.ts';

/** What else goes on while revocations are measured. */
export interface RevocationScenario {
  name: string;
  /** Whether each kind of revocation has a line of its own. */
  showsKinds: boolean;
  /** Whether there was as much of it as there should be; always, without. */
  isEnough?: () => boolean;
  /** Settles when it is under way. It goes on until it is ended. */
  begin(): Promise<RunningLoad>;
}

export interface RunningLoad {
  /** Settles when it is over, with what it was, in words. */
  end(): Promise<string>;
}

export interface LoadedWorld {
  service: LocalService;
  client: DynamoDBClient;
  tableName: string;
  /** Whose service account signs in. */
  stage: Pick<Stage, 'roleArn' | 'key'>;
}

const refusalsMin = 10_000;

/** Each is made when it is its turn: what a machine gives alone is measured when nothing else goes on. */
export function revocationScenarios(world: LoadedWorld): (() => Promise<RevocationScenario>)[] {
  const quiet: RunningLoad = { end: async () => 'Nothing else went on.' };
  return [
    async () => ({ name: 'when it is quiet', showsKinds: true, begin: async () => quiet }),
    () => refusalScenario(world, refusalsMin),
    () => exchangeScenario(world),
    async () => deletionScenario(world),
  ];
}
