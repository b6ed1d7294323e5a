from paddock import Resource, ResourceTemplate

RECIPES = {"pancakes": "200 g flour, 400 ml milk, 3 eggs."}

index = Resource("recipe://index", lambda: sorted(RECIPES), description="All recipes.")
recipe = ResourceTemplate("recipe://{name}", lambda name: RECIPES[name], name="recipe")
