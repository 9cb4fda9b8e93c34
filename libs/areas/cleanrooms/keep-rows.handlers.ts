import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RoomRows } from './room-rows.js';

/** Commands of `contribution-rows.saga.ts`. Each may come twice. */
export class RetainRowsCommand extends Command<void> {
  constructor(
    readonly cleanroomId: string,
    readonly contributionId: string,
  ) {
    super();
  }
}

@CommandHandler(RetainRowsCommand)
export class RetainRowsHandler implements ICommandHandler<RetainRowsCommand> {
  constructor(private readonly rows: RoomRows) {}

  execute({ cleanroomId, contributionId }: RetainRowsCommand): Promise<void> {
    return this.rows.retain(cleanroomId, contributionId);
  }
}

export class DestroyRowsCommand extends Command<void> {
  constructor(
    readonly cleanroomId: string,
    readonly contributionId: string,
    readonly blob: string,
  ) {
    super();
  }
}

@CommandHandler(DestroyRowsCommand)
export class DestroyRowsHandler implements ICommandHandler<DestroyRowsCommand> {
  constructor(private readonly rows: RoomRows) {}

  execute({ cleanroomId, contributionId, blob }: DestroyRowsCommand): Promise<void> {
    return this.rows.destroy(cleanroomId, contributionId, blob);
  }
}
