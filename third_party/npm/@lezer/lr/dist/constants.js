"use strict";
// This file defines some constants that are needed both in this
// package and in lezer-generator, so that the generator code can
// access them without them being part of lezer's public interface.
Object.defineProperty(exports, "__esModule", { value: true });
