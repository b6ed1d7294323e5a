from paddock import engines

for engine in engines():
    if engine.is_chosen:
        print(f"{engine.title} {engine.version}: {engine.reason}")
