import { shownName } from '../../../lib/pages/site/format.ts';
import type { LeftOutReason, UploadPlan } from '../../upload/chosen-files.ts';
import type { DroppedFiles } from '../../upload/dropped-files.ts';
import type { ExistingFile } from '../../upload/existing-keys.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialogs.tsx';
import { BusyNotice } from './parts.tsx';
import { filesOf, texts } from './texts.ts';
import type { Waits } from './waits.ts';

export interface UploadReview {
  /** The prefix of the target folder. It is empty, or it ends in a slash. */
  folder: string;
  /**
   * The name of the chosen folder, if the user chose exactly one folder. `keepsFolder` is true when the keys of the
   * uploaded files begin with this name.
   */
  below: string | undefined;
  keepsFolder: boolean;
  plan: UploadPlan;
  existing: readonly ExistingFile[];
  /** Files and folders that were skipped while the page read the chosen folders. */
  walk: Pick<DroppedFiles, 'tooDeep' | 'isCut' | 'unreadable'>;
}

/** The action for chosen files whose keys already exist in the repository. */
export type ExistingChoice = 'skip' | 'replace_different' | 'replace';

/**
 * Returns true when the user must confirm the upload first. An upload of a folder always needs it, because the user
 * must see the target path.
 */
export function needsReview({ plan, existing, walk, folder, below }: UploadReview): boolean {
  const isOdd = walk.isCut || walk.tooDeep.length > 0 || walk.unreadable.length > 0 || plan.files.length === 0;
  const hasFolders = below !== undefined || plan.files.some(({ key }) => key.includes('/', folder.length));
  return hasFolders || existing.length > 0 || plan.leftOut.length > 0 || plan.renamed.length > 0 || isOdd;
}

interface ReviewProps {
  review: UploadReview;
  waits: Waits;
  /** True while the page computes a new review. Until then, the visible review is out of date. */
  isChecking: boolean;
  onKeepFolder: (keepsFolder: boolean) => void;
  onChoose: (choice: ExistingChoice) => void;
  onCancel: () => void;
}

/** Shows, before an upload starts, which files it replaces, renames, or omits. */
export function ReviewDialog({ review, waits, isChecking, onKeepFolder, onChoose, onCancel }: ReviewProps) {
  const { plan, existing, below, keepsFolder } = review;
  return (
    <Dialog title="Review the upload" onClose={onCancel}>
      {plan.files.length === 0 ? (
        <p>The selection contains no files.</p>
      ) : (
        <p>
          {texts.planned(plan.files.length, plan.bytes)} <Folder folder={folderFor(review, keepsFolder)} />
        </p>
      )}
      {below !== undefined && <TargetFolder review={review} onKeepFolder={onKeepFolder} />}
      {isChecking && <p role="status">{`Checking ${filesOf(plan.files.length)}…`}</p>}
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
          <Button
            key={choice}
            kind={index === 0 && choice !== 'replace' ? 'button' : 'button second'}
            label={words}
            disabled={isChecking}
            onClick={() => onChoose(choice)}
          />
        ))}
        <Button label="Cancel" onClick={onCancel} />
      </div>
    </Dialog>
  );
}

/** Asks whether the keys of the uploaded files begin with the name of the chosen folder. */
function TargetFolder({ review, onKeepFolder }: Pick<ReviewProps, 'review' | 'onKeepFolder'>) {
  return (
    <fieldset class="field">
      <legend>Target folder</legend>
      {[true, false].map((keeps) => (
        <label class="check" key={keeps}>
          <input
            type="radio"
            name="keeps-folder"
            checked={keeps === review.keepsFolder}
            onChange={() => onKeepFolder(keeps)}
          />
          <span>
            {keeps ? 'Keep the folder name:' : 'Only the contents:'} <Folder folder={folderFor(review, keeps)} />
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function folderFor({ folder, below }: UploadReview, keepsFolder: boolean): string {
  return below === undefined || !keepsFolder ? folder : `${folder}${below.normalize('NFC')}/`;
}

/** Returns the actions that the user can choose. The first action never overwrites data. */
function choicesOf({ plan, existing }: UploadReview): (readonly [ExistingChoice, string])[] {
  if (plan.files.length === 0) return [];
  if (existing.length === 0) return [['skip', 'Upload']];
  const same = sameOf(existing);
  const choices: (readonly [ExistingChoice, string])[] = [];
  const others = plan.files.length - existing.length;
  if (others > 0) choices.push(['skip', texts.skipExisting(existing.length)]);
  if (existing.length > same && same > 0) choices.push(['replace_different', 'Replace only different files']);
  return [...choices, ['replace', texts.overwrite(existing.length)]];
}

function sameOf(existing: readonly ExistingFile[]): number {
  return existing.filter(({ isSame }) => isSame).length;
}

function Folder({ folder }: { folder: string }) {
  return folder === '' ? 'the top folder' : <bdi class="path">{shownName(folder)}</bdi>;
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
  const existingByKey = new Map(existing.map((file) => [file.key, file]));
  return plan.files
    .filter(({ key }) => {
      const found = existingByKey.get(key);
      if (found === undefined || choice === 'replace') return true;
      return choice === 'replace_different' && !found.isSame;
    })
    .map(({ key, file }) => ({ key, file, overwrites: existingByKey.has(key) }));
}
