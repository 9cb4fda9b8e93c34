/** Frames that were looked at, also the pictures of chats. */
export const FRAMES_METER = 'vision_frames';
