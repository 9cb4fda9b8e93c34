import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { createFolder } from '#platform/files/create-folder.js';
import { RENTAL_SETTINGS, type RentalSettings } from '../rentals.settings.js';

/** The files of one rental. */
export interface RentalFolder {
  /** The renter's files. */
  readonly workspace: string;
  readonly log: string;
  readonly stateFile: string;
}

const LOOK_MS = 50;
const LOOKS_MAX = 40;

/** Where the files of rentals are. */
@Injectable()
export class RentalFolders {
  /** Files that are being received; on the file system of the workspaces. */
  readonly incoming: string;
  /** A folder for each rental. */
  readonly rentals: string;

  constructor(@Inject(RENTAL_SETTINGS) { folder }: Pick<RentalSettings, 'folder'>) {
    this.incoming = path.join(folder, 'incoming');
    this.rentals = path.join(folder, 'by-id');
  }

  of(rentalId: string): RentalFolder {
    const folder = path.join(this.rentals, rentalId);
    return {
      workspace: path.join(folder, 'workspace'),
      log: path.join(folder, 'output.log'),
      stateFile: path.join(folder, 'program.json'),
    };
  }

  async create(rentalId: string): Promise<RentalFolder> {
    const folder = this.of(rentalId);
    await createFolder(folder.workspace);
    return folder;
  }

  async createIncoming(): Promise<void> {
    await createFolder(this.incoming);
  }

  /** False for a rental that has not started, or whose host has its files elsewhere. */
  async exists(rentalId: string): Promise<boolean> {
    return stat(this.of(rentalId).workspace).then(
      (found) => found.isDirectory(),
      () => false,
    );
  }

  /** A host reports that it runs a rental just before it makes the workspace: waits for that. */
  async appear(rentalId: string): Promise<void> {
    for (let looks = 0; looks < LOOKS_MAX && !(await this.exists(rentalId)); looks += 1) {
      await sleep(LOOK_MS);
    }
  }

  async remove(rentalId: string): Promise<void> {
    await rm(path.join(this.rentals, rentalId), { recursive: true, force: true });
  }
}
