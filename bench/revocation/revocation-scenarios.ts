import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { LocalService } from '../../lib/local/service.ts';
import type { Stage } from '../../test/bounds/stage.ts';
import { deletionScenario } from './deletion-load.ts';
import { exchangeScenario, refusalScenario } from './exchange-load.ts';

/** The background load during the measurement of revocations. */
export interface RevocationScenario {
  name: string;
  /** True when each kind of revocation has its own row. */
  showsKinds: boolean;
  /** Returns true when the load was large enough. Absent means that any load is enough. */
  isEnough?: () => boolean;
  /** Settles when the load runs. The load continues until it is ended. */
  begin(): Promise<RunningLoad>;
}

export interface RunningLoad {
  /** Settles when the load has ended, with a description of it. */
  end(): Promise<string>;
}

export interface LoadedWorld {
  service: LocalService;
  client: DynamoDBClient;
  tableName: string;
  /** The service account that signs in. */
  stage: Pick<Stage, 'roleArn' | 'key'>;
}

const refusalsMin = 10_000;

/** Creates the scenarios one at a time. The machine's rate without load is measured when no other scenario runs. */
export function revocationScenarios(world: LoadedWorld): (() => Promise<RevocationScenario>)[] {
  const quiet: RunningLoad = { end: async () => 'Nothing else went on.' };
  return [
    async () => ({ name: 'when it is quiet', showsKinds: true, begin: async () => quiet }),
    () => refusalScenario(world, refusalsMin),
    () => exchangeScenario(world),
    async () => deletionScenario(world),
  ];
}
