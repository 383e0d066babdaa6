import type { IdRule, OfRepository } from '../../domain/data/internal-ids.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { FinishedMigrations } from '../migrations/finished-migrations.ts';

/** By its name: the migration itself has no place in what answers requests. */
export const idsOfRepositories = { name: '0002-internal-ids' } as const;

/** Tells whether what carries no internal id of its repository still counts. */
export class IdRuleSource {
  readonly #migrations: Pick<FinishedMigrations, 'isFinished'>;

  constructor(migrations: Pick<FinishedMigrations, 'isFinished'>) {
    this.#migrations = migrations;
  }

  /** Asks the table only where one of these lacks it, which after the migration none does. */
  async ruleFor(given: readonly (OfRepository | undefined)[]): Promise<IdRule> {
    const isAnyWithout = given.some((item) => item !== undefined && item.repository_uid === undefined);
    return { countsWithoutId: isAnyWithout && !(await this.#migrations.isFinished(idsOfRepositories)) };
  }

  /** Throws `wrong_state` while an older release may still give what would outlive its repository. */
  async requireIds(): Promise<void> {
    if (await this.#migrations.isFinished(idsOfRepositories)) return;
    throw new ServiceError(
      'wrong_state',
      'Repositories cannot be deleted or transferred before this service has finished its upgrade; ask its operator to close the data migrations, and try again then',
    );
  }
}
