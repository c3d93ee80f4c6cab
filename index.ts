export { AppError } from "./core/errors.ts";
