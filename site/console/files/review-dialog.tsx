import { shownName } from '../../../lib/pages/site/format.ts';
import type { LeftOutReason, UploadPlan } from '../../upload/chosen-files.ts';
import type { DroppedFiles } from '../../upload/dropped-files.ts';
import type { ExistingFile } from '../../upload/existing-keys.ts';
import { Dialog } from '../components/dialogs.tsx';
import { BusyNotice } from './busy-notice.tsx';
import { texts } from './texts.ts';
import type { Waits } from './waits.ts';

export interface UploadReview {
  /** The target folder. Empty, or a prefix that ends in a slash. */
  folder: string;
  /** The name of the single chosen folder. `keepsFolder` is true when the keys include this name. */
  below: string | undefined;
  keepsFolder: boolean;
  plan: UploadPlan;
  existing: readonly ExistingFile[];
  /** Files and folders that the walk of the chosen folders skipped. */
  walk: Pick<DroppedFiles, 'tooDeep' | 'isCut' | 'unreadable'>;
}

/** The action for files whose keys already exist. */
export type ExistingChoice = 'skip' | 'replace_different' | 'replace';

/** Returns true when the user must confirm the upload first. With folders, the user must see the target. */
export function needsReview({ plan, existing, walk, folder, below }: UploadReview): boolean {
  const isOdd = walk.isCut || walk.tooDeep.length > 0 || walk.unreadable.length > 0 || plan.files.length === 0;
  const hasFolders = below !== undefined || plan.files.some(({ key }) => key.includes('/', folder.length));
  return hasFolders || existing.length > 0 || plan.leftOut.length > 0 || plan.renamed.length > 0 || isOdd;
}

interface ReviewProps {
  review: UploadReview;
  waits: Waits;
  /** True while the page computes a new review. The shown one is out of date. */
  isLooking: boolean;
  onKeepFolder: (keepsFolder: boolean) => void;
  onChoose: (choice: ExistingChoice) => void;
  onCancel: () => void;
}

/** Shows which files an upload replaces, renames, or leaves out, before it starts. */
export function ReviewDialog({ review, waits, isLooking, onKeepFolder, onChoose, onCancel }: ReviewProps) {
  const { plan, existing, folder, below, keepsFolder } = review;
  const folderFor = (keeps: boolean) =>
    below === undefined || !keeps ? folder : `${folder}${below.normalize('NFC')}/`;
  return (
    <Dialog title={texts.review} onClose={onCancel}>
      {plan.files.length === 0 ? (
        <p>{texts.nothingChosen}</p>
      ) : (
        <p>
          {texts.planned(plan.files.length, plan.bytes)} <Place folder={folderFor(keepsFolder)} />
        </p>
      )}
      {below !== undefined && (
        <fieldset class="field">
          <legend>{texts.folderChoice(plan.files.length)}</legend>
          {[true, false].map((keeps) => (
            <label class="check" key={keeps}>
              <input
                type="radio"
                name="keeps-folder"
                checked={keeps === keepsFolder}
                onChange={() => onKeepFolder(keeps)}
              />
              <span>
                {keeps ? texts.keepFolder : texts.contentsHere} <Place folder={folderFor(keeps)} />
              </span>
            </label>
          ))}
        </fieldset>
      )}
      {isLooking && <p role="status">{texts.looking(plan.files.length)}</p>}
      <BusyNotice waits={waits} />
      <ul class="notes">
        {notesOf(review).map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
      {existing.length > 0 && (
        <>
          <p>
            {texts.existing(existing.length)} {texts.existingSame(sameOf(existing), existing.length)}
          </p>
          <ul class="notes">
            {existing.slice(0, 5).map(({ key }) => (
              <li key={key} class="path">
                {shownName(key)}
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="actions">
        {choicesOf(review).map(([choice, words], index) => (
          <button
            key={choice}
            type="button"
            class={index === 0 && choice !== 'replace' ? 'button' : 'button second'}
            disabled={isLooking}
            onClick={() => onChoose(choice)}
          >
            {words}
          </button>
        ))}
        <button type="button" class="button second" onClick={onCancel}>
          {texts.cancel}
        </button>
      </div>
    </Dialog>
  );
}

/** Returns the possible actions. The first one loses no data. */
function choicesOf({ plan, existing }: UploadReview): (readonly [ExistingChoice, string])[] {
  if (plan.files.length === 0) return [];
  if (existing.length === 0) return [['skip', texts.start]];
  const same = sameOf(existing);
  const choices: (readonly [ExistingChoice, string])[] = [];
  const others = plan.files.length - existing.length;
  if (others > 0) choices.push(['skip', texts.skipExisting(existing.length)]);
  if (existing.length > same && same > 0) choices.push(['replace_different', texts.skipSame]);
  return [...choices, ['replace', texts.overwrite(existing.length)]];
}

function sameOf(existing: readonly ExistingFile[]): number {
  return existing.filter(({ isSame }) => isSame).length;
}

function Place({ folder }: { folder: string }) {
  return folder === '' ? texts.topFolder : <bdi class="path">{shownName(folder)}</bdi>;
}

function notesOf({ plan, walk }: UploadReview): string[] {
  const byReason = Map.groupBy(plan.leftOut, ({ reason }) => reason);
  const [firstRenamed] = plan.renamed;
  return [
    ...Array.from(byReason, ([reason, paths]: [LeftOutReason, { path: string }[]]) =>
      texts.leftOut(reason, paths.length, paths[0]?.path ?? ''),
    ),
    firstRenamed === undefined ? '' : texts.renamed(plan.renamed.length, firstRenamed.key),
    walk.isCut ? texts.isCut(plan.files.length) : '',
    walk.tooDeep.length === 0 ? '' : texts.tooDeep(walk.tooDeep.length),
    walk.unreadable.length === 0 ? '' : texts.unreadable(walk.unreadable.length),
  ].filter((note) => note !== '');
}

/** Returns the files to upload. `overwrites` is true when a file may replace an existing object. */
export function chosenOf({ plan, existing }: UploadReview, choice: ExistingChoice) {
  const there = new Map(existing.map((file) => [file.key, file]));
  return plan.files
    .filter(({ key }) => {
      const taken = there.get(key);
      if (taken === undefined || choice === 'replace') return true;
      return choice === 'replace_different' && !taken.isSame;
    })
    .map(({ key, file }) => ({ key, file, overwrites: there.has(key) }));
}
